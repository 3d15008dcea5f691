"""Tools whose state machines bring resources."""

from datetime import timedelta

from mcp_tasks import tool


@tool(machine="export", handle_after=timedelta())
def export(shards: int) -> str:
    """Export so many shards, and list their keys."""
    raise NotImplementedError("its state machine returns the result")


@tool(machine="streams")
def streams() -> str:
    """Need a stream."""
    raise NotImplementedError("its state machine returns the result")


@tool(machine="words", handle_after=timedelta())
def words() -> str:
    """Say words."""
    raise NotImplementedError("its state machine returns the result")


@tool(machine="batches")
def batches() -> str:
    """Need a Map over batches."""
    raise NotImplementedError("its state machine returns the result")


TOOLS = [export, streams, words, batches]
