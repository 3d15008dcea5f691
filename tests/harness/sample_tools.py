"""Sample tools that exercise the server: they crash, sleep, wait, and request input.

Those that tests follow as a task allow no time for an immediate result, so that a task it is in every revision.
"""

import time
from dataclasses import replace
from datetime import timedelta

from mcp_tasks import Accepted, Context, Elicit, Form, tool
from mcp_tasks.testing.state_machines.lambdas import FunctionDied


@tool(handle_after=timedelta())
def frail(context: Context, deaths: int, error: str = "Runtime.ExitError") -> str:
    """Die that often, then answer."""
    if context.attempt <= deaths:
        raise FunctionDied(error)
    return f"attempt {context.attempt}"


@tool(tasks="never")
def mortal() -> str:
    """Die at once."""
    raise FunctionDied


@tool(timeout=timedelta(minutes=5), inline_wait=timedelta(seconds=20))
def slow(context: Context, steps: int) -> str:
    """Take ten seconds a step, and report it."""
    for done in range(steps):
        context.report_progress(done, steps, f"step {done}")
        time.sleep(10)
    return "done"


@tool(tasks="always", machine="remind_me", timeout=timedelta(minutes=4), ttl=timedelta(minutes=4))
def forgotten(after_seconds: int) -> str:
    """Wait in a machine of its own, perhaps for longer than the task is kept."""
    return f"waited {after_seconds} s"


@tool(handle_after=timedelta())
def fails() -> str:
    """Raise what nobody expects."""
    raise ZeroDivisionError("by nought")


@tool(handle_after=timedelta(), timeout=timedelta(minutes=5), ttl=timedelta(days=5))
def doze(context: Context, hours: list[float]) -> str:
    """Sleep some times, and say in which attempt it woke for the last time."""
    context.report_status("asleep")
    for duration in hours:
        context.sleep(timedelta(hours=duration))
    return f"rested, attempt {context.attempt}"


class Words(Form):
    """The content of a response to an input request."""

    said: str


def _wants(key: str, seconds: int | None = None) -> Elicit[Words]:
    timeout = None if seconds is None else timedelta(seconds=seconds)
    nobody = Accepted(value=Words(said="nobody"))
    return Elicit(f"{key}?", Words, key=key, timeout=timeout, default=nobody)


@tool(timeout=timedelta(minutes=5))
def curious(context: Context, batches: list[list[str]], seconds: int | None = None) -> str:
    """Request input several times, in batches of keys; return the answers, `nobody` for a timeout."""
    recorded = context.step("note", lambda: "noted")
    answers = [context.gather(*(_wants(key, seconds) for key in keys)) for keys in batches]
    return ", ".join([recorded, *(each.value.said for batch in answers for each in batch)])


@tool(tasks="always", machine="remind_me", timeout=timedelta(minutes=5))
def curious_later(context: Context, after_seconds: int, seconds: int | None = None) -> str:
    """Wait in a state machine of its own, then request input."""
    (answer,) = context.gather(_wants("late", seconds))
    return f"{answer.value.said} after {after_seconds} s"


@tool(handle_after=timedelta(), machine="direct")
def steady_direct(seconds: int) -> str:
    """Work, and report nothing."""
    time.sleep(seconds)
    return f"worked {seconds} s"


# Without an execution.
DIRECT = [replace(each, name=f"{each.name}_direct", machine="direct") for each in (frail, slow, fails, doze, curious)]

TOOLS = [frail, mortal, slow, forgotten, fails, doze, curious, curious_later, steady_direct, *DIRECT]
