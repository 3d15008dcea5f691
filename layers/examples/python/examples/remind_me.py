"""A tool that waits for days at no cost: its state machine (machines/remind_me.py) waits, then this code runs."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from mcp_tasks import tool

LONGEST_WAIT = timedelta(days=6)


# A second call for the same reminder within seconds is a retry of one whose response was lost.
@tool(
    title="Remind me",
    machine="remind_me",
    not_before="after_seconds",
    timeout=timedelta(days=7),
    inline_wait=timedelta(0),
    join_within=timedelta(seconds=30),
    annotations={"readOnlyHint": True, "openWorldHint": False},
)
def remind_me(
    after_seconds: Annotated[int, Field(ge=1, le=int(LONGEST_WAIT.total_seconds()))],
    about: Annotated[str, Field(max_length=1_000)] = "time is up",
) -> str:
    """Come back with a reminder after some seconds, six days at most."""
    return f"Reminder after {after_seconds} s: {about}"
