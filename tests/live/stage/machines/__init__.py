"""The state machines of the stage that live tests look at."""
