"""The tools and the resource of the tasks that are kept in flight; also read and run by the release before."""

import os
from datetime import timedelta

from mcp_tasks import Accepted, Context, Form, resource, tool

WEEK = timedelta(days=7)
NOTES = "docs://notes"


class Said(Form):
    """The content of a response."""

    words: str


def _asked(context: Context, keys: list[str]) -> str:
    # Says whose run it was that recorded the step: a replay does not do it again.
    made = context.step("made", lambda: os.environ["MADE_BY"])
    answers = [context.elicit(f"{key}?", Said, key=key) for key in keys]
    said = [each.value.words if isinstance(each, Accepted) else "nothing" for each in answers]
    return ", ".join([f"made {made}", *said])


@tool(handle_after=timedelta(), ttl=WEEK)
def ask(context: Context, keys: list[str]) -> str:
    """Request input for each key, one after the other."""
    return _asked(context, keys)


@tool(starts_inline=True, ttl=WEEK)
def ask_at_once(context: Context, keys: list[str]) -> str:
    """Do the same within the call."""
    return _asked(context, keys)


@tool(handle_after=timedelta(), ttl=WEEK)
def nap(context: Context, hours: float) -> str:
    """Sleep."""
    made = context.step("made", lambda: os.environ["MADE_BY"])
    context.sleep(timedelta(hours=hours))
    return f"made {made}, rested"


@tool(tasks="never")
def write_note(context: Context) -> str:
    """Change the notes."""
    context.resource_updated(NOTES)
    return "written"


@resource(NOTES, subscribable=True)
def notes() -> str:
    """Read the notes."""
    return "nothing yet"


TOOLS = [ask, ask_at_once, nap, write_note]
RESOURCES = [notes]
