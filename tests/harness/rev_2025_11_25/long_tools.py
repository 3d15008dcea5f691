"""Tools of which nothing is known but that they may take days."""

from datetime import timedelta

from mcp_tasks import tool

DAYS = timedelta(days=2)


@tool(tasks="always", machine="remind_me", timeout=DAYS, ttl=DAYS)
def ponder(after_seconds: int) -> str:
    """Wait in a machine of its own, which says nothing meanwhile."""
    return f"pondered {after_seconds} s"


@tool(machine="remind_me", timeout=DAYS, ttl=DAYS, inline_wait=DAYS)
def ponder_in_a_call(after_seconds: int) -> str:
    """Do the same while a call waits that is no task."""
    return f"pondered {after_seconds} s"


TOOLS = [ponder, ponder_in_a_call]
