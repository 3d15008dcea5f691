"""Tools that do one thing each, so that what a thing costs is the difference of two tasks."""

import random
import string
import time
from dataclasses import replace
from datetime import timedelta

from mcp_tasks import Accepted, Context, Form, resource, tool

TIMEOUT = timedelta(minutes=5)


class Name(Form):
    """What `ask` asks for."""

    name: str


def text(size: int) -> str:
    """Return so many letters, the same each time, which no compression makes much shorter."""
    return "".join(random.Random(size).choices(string.ascii_letters, k=size))


@tool(timeout=TIMEOUT)
def make(size: int) -> str:
    """Return a result of that size."""
    return text(size)


make_direct = replace(make, name="make_direct", machine="direct")


@tool(timeout=TIMEOUT)
def take(given: str) -> str:
    """Take arguments of a size."""
    return str(len(given))


@tool(tasks="never")
def answer() -> str:
    """Answer within the call."""
    return "answered"


@tool(timeout=TIMEOUT)
def ask(context: Context) -> str:
    """Ask once."""
    match context.elicit("Who?", Name, key="who", timeout=timedelta(hours=1)):
        case Accepted(value=given):
            return given.name
    return "nobody"


@tool(timeout=TIMEOUT)
def doze(context: Context) -> str:
    """Sleep for longer than a run waits for it."""
    context.sleep(timedelta(seconds=5))
    return "awake"


@tool(timeout=TIMEOUT)
def walk(steps: int, context: Context) -> str:
    """Record steps of 1 KB each."""
    for number in range(steps):
        context.step(f"step {number}", lambda: text(1024))
    return "done"


@tool(timeout=TIMEOUT)
def report(times: int, context: Context) -> str:
    """Report progress, as often as it is written."""
    for number in range(times):
        context.report_progress(number, times)
        time.sleep(1.1)
    return "done"


@tool(timeout=TIMEOUT)
def work(seconds: float) -> str:
    """Work for so long, of which nothing is known before."""
    time.sleep(seconds)
    return "done"


@tool(timeout=TIMEOUT, expected=timedelta(minutes=1))
def work_a_minute() -> str:
    """Work for a minute, as is said."""
    time.sleep(60)
    return "done"


@resource("cost://watched", subscribable=True)
def watched() -> str:
    """Never change."""
    return "the same"


RESOURCES = [watched]
TOOLS = [make, make_direct, take, answer, ask, doze, walk, report, work, work_a_minute]
