"""Tools that test the server, not themselves: they die, sleep, wait, and stay for ever."""

import time
from datetime import timedelta

from mcp_tasks import Context, tool
from tests.stage.lambdas import FunctionDied


@tool()
def frail(context: Context, deaths: int, error: str = "Runtime.ExitError") -> str:
    """Die that often, then answer."""
    if context.attempt <= deaths:
        raise FunctionDied(error)
    return f"attempt {context.attempt}"


@tool(tasks="never")
def mortal() -> str:
    """Die at once."""
    raise FunctionDied


@tool(timeout=timedelta(minutes=5))
def slow(context: Context, steps: int) -> str:
    """Take ten seconds a step, and tell."""
    for done in range(steps):
        context.report_progress(done, steps, f"step {done}")
        time.sleep(10)
    return "done"


@tool(tasks="always", machine="remind_me", timeout=timedelta(minutes=4), ttl=timedelta(minutes=4))
def forgotten(after_seconds: int) -> str:
    """Wait in a machine of its own, perhaps for longer than the task is kept."""
    return f"waited {after_seconds} s"


@tool()
def fails() -> str:
    """Raise what nobody expects."""
    raise ZeroDivisionError("by nought")


TOOLS = [frail, mortal, slow, forgotten, fails]
