"""What the crowd calls, beside what the official clients call: each says in its result what it was called with."""

import time
from datetime import timedelta

from mcp_tasks import Accepted, Context, Form, NoAnswer, ToolError, anyone_but_me, tool
from tests.clients.sample_tools import PROMPTS, RESOURCES
from tests.clients.sample_tools import TOOLS as FOR_OFFICIAL_CLIENTS

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]

# An attempt that died begins again after pauses that grow, and a run without an execution once its lease is over.
TIMEOUT = timedelta(minutes=14)
TTL = timedelta(hours=6)
TO_ANSWER = timedelta(minutes=10)


class Answer(Form):
    """What is asked."""

    text: str


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL)
def toil(context: Context, label: str, seconds: float) -> str:
    """Work in three steps, each of which is recorded."""
    for number in range(3):
        context.step(f"step {number}", lambda: time.sleep(seconds / 3))
        context.report_progress(number + 1, total=3)
    return f"toiled {label}"


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL, machine="direct")
def toil_direct(context: Context, label: str, seconds: float) -> str:
    """Work without an execution."""
    context.step("step", lambda: time.sleep(seconds))
    return f"toiled {label}"


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL)
def nap(context: Context, label: str, seconds: float) -> str:
    """Sleep, for which nothing runs."""
    context.sleep(timedelta(seconds=seconds))
    return f"napped {label}"


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL)
def ask(context: Context, label: str) -> str:
    """Ask the user of the client."""
    try:
        answer = context.elicit(f"What of {label}?", Answer, key="what", timeout=TO_ANSWER)
    except NoAnswer:
        return f"asked {label}: nobody answered"
    return f"asked {label}: {answer.value.text if isinstance(answer, Accepted) else 'nothing'}"


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL, approvals=True)
def propose(context: Context, label: str) -> str:
    """Ask anybody else of the tenant."""
    try:
        answer = context.elicit(f"Is {label} right?", Answer, key="right", of=anyone_but_me(), timeout=TO_ANSWER)
    except NoAnswer:
        return f"proposed {label}: nobody answered"
    return f"proposed {label}: {answer.value.text if isinstance(answer, Accepted) else 'nothing'}"


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL)
def bulky(label: str, kilobytes: int) -> str:
    """Return more than an item of the table has room for."""
    return f"bulky {label} " + "x" * (kilobytes * 1024)


@tool(tasks="always", timeout=TIMEOUT, ttl=TTL)
def fail(label: str) -> str:
    """Fail as a tool does."""
    raise ToolError(f"failed {label}")


TOOLS = [*FOR_OFFICIAL_CLIENTS, toil, toil_direct, nap, ask, propose, bulky, fail]
