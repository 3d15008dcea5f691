"""The tools that the clients call: those of conformance, a slow one, one that requests input, a reminder."""

import time
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from examples.remind_me import remind_me
from mcp_tasks import Accepted, Context, Form, MissingCapability, tool
from tests.conformance import PROMPTS, RESOURCES
from tests.conformance import TOOLS as CONFORMANCE

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]

TTL = timedelta(minutes=15)


class Leaves(Form):
    """The first thing to be asked."""

    leaves: Literal["green", "black"]


class Sugar(Form):
    """The second."""

    lumps: Annotated[int, Field(ge=0, le=4)] = 0


@tool(inline_wait=timedelta(seconds=1))
def dawdle(seconds: float) -> str:
    """Take longer than its caller is made to wait."""
    time.sleep(seconds)
    return f"Dawdled for {seconds:g} s"


@tool(scopes=["reports:write"], inline_wait=timedelta(milliseconds=200))
def publish(seconds: float) -> str:
    """Publish the report, which not every token permits."""
    time.sleep(seconds)
    return "Published"


@tool(tasks="allowed", ttl=TTL, inline_wait=timedelta(seconds=20))
def brew(context: Context) -> str:
    """Make tea: ask the user two things, one after the other, and the user's model for a name."""
    try:
        leaves = context.elicit("Which leaves?", Leaves, key="leaves")
        sugar = context.elicit("How much sugar?", Sugar, key="sugar")
    except MissingCapability:
        return "Water, since nobody can be asked"
    if not (isinstance(leaves, Accepted) and isinstance(sugar, Accepted)):
        return "Nothing, since nobody wants any"
    try:
        name = context.sample("Name this tea.", max_tokens=20, key="name").text
    except MissingCapability:
        name = "tea without a name"
    return f"{name}: {leaves.value.leaves}, {sugar.value.lumps} lumps"


TOOLS = [*CONFORMANCE, dawdle, publish, brew, remind_me]
