"""The state machines of the example tools."""
