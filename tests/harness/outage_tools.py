"""Tools of all kinds that are in flight while AWS has a bad minute; each runs for twenty seconds at a time."""

import time
from datetime import timedelta

from mcp_tasks import Accepted, Context, Elicit, Form, ToolError, anyone_but_me, tool
from mcp_tasks.testing.state_machines.lambdas import FunctionDied

QUARTER = timedelta(minutes=14)


class Words(Form):
    """The content of a response to an input request."""

    said: str


@tool(handle_after=timedelta(), timeout=QUARTER)
def plain() -> str:
    """Work."""
    time.sleep(20)
    return "worked"


@tool(handle_after=timedelta(), timeout=QUARTER)
def stepped(context: Context) -> str:
    """Work in three steps, each of which says when it was done."""

    def work() -> str:
        time.sleep(20)
        return str(context.attempt)

    return " ".join(context.step(f"step {number}", work) for number in range(3))[:1]


@tool(handle_after=timedelta(), timeout=QUARTER)
def reporting(context: Context) -> str:
    """Report progress each second, and say in which attempt it did so to the end."""
    for done in range(20):
        context.report_progress(done, 20)
        time.sleep(1)
    return f"attempt {context.attempt}"


@tool(handle_after=timedelta(), timeout=QUARTER)
def asking(context: Context) -> str:
    """Work, and then ask."""
    time.sleep(20)
    (answer,) = context.gather(Elicit("word?", Words, key="word", default=Accepted(value=Words(said="nobody"))))
    return str(answer.value.said)


@tool(handle_after=timedelta(), timeout=QUARTER, ttl=timedelta(hours=2))
def dozing(context: Context, minutes: float) -> str:
    """Work, and then sleep."""
    time.sleep(20)
    context.sleep(timedelta(minutes=minutes))
    return "rested"


@tool(handle_after=timedelta(), timeout=timedelta(minutes=4), ttl=timedelta(hours=2))
def napping(context: Context) -> str:
    """Sleep for eight minutes, of a tool that may work for less."""
    context.sleep(timedelta(minutes=8))
    return "rested"


@tool(handle_after=timedelta(), timeout=QUARTER)
def failing() -> str:
    """Work, and then fail."""
    time.sleep(20)
    raise ToolError("no such city")


@tool(handle_after=timedelta(), timeout=QUARTER)
def dying() -> str:
    """Kill its process each time."""
    raise FunctionDied


@tool(handle_after=timedelta(), timeout=QUARTER, machine="direct")
def direct() -> str:
    """Work without an execution."""
    time.sleep(20)
    return "worked"


@tool(tasks="always", timeout=timedelta(hours=5), ttl=timedelta(hours=6), machine="remind_me")
def machine(after_seconds: int) -> str:
    """Work in a state machine of its own, which records what this returns."""
    return f"waited {after_seconds} s"


@tool(handle_after=timedelta(), timeout=QUARTER)
def large(text: str) -> str:
    """Work on arguments that an item of the table has no room for, and return as much."""
    time.sleep(20)
    return text


@tool(handle_after=timedelta(), timeout=QUARTER, approvals=True)
def proposing(context: Context) -> str:
    """Work, and then ask somebody else."""
    time.sleep(20)
    answer = context.elicit("word?", Words, key="word", of=anyone_but_me())
    return str(answer.value.said) if isinstance(answer, Accepted) else "declined"


TOOLS = [plain, stepped, reporting, asking, dozing, napping, failing, dying, direct, machine, large, proposing]
