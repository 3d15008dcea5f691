"""The tools of every release that is deployed: a kind of work each, and a log record of each run that says whose it is.

A copy of this file is in the tools layer of each release.
"""

import logging
import os
import time
from datetime import timedelta
from functools import partial

from examples import PROMPTS, RESOURCES
from examples.remind_me import remind_me
from mcp_tasks import Accepted, Context, Form, tool
from mcp_tasks.version import VERSION

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]

TIMEOUT = timedelta(minutes=2)
BEAT_SECONDS = 0.2

logger = logging.getLogger(__name__)


class Colour(Form):
    """What a user is asked for."""

    colour: str


def _record() -> None:
    """Log which release runs: `code` is the version in its folder, `release` the one that was deployed with it."""
    logger.info("ran", extra={"code": VERSION, "release": os.environ.get("RELEASE", "")})


def _asked(context: Context, message: str, key: str) -> str:
    """Ask for a colour, and return it."""
    response = context.elicit(message, Colour, key=key)
    return response.value.colour if isinstance(response, Accepted) else "none"


@tool(tasks="never")
def add(a: int, b: int) -> str:
    """Add two numbers within the call."""
    _record()
    return str(a + b)


@tool(tasks="never")
def choose(context: Context, of: str) -> str:
    """Ask within the call, which repeats it with the response, and begin with a step."""
    _record()
    recorded = context.step("first", lambda: of.upper())
    return f"{recorded}: {_asked(context, 'Which?', 'which')}"


@tool(timeout=TIMEOUT, handle_after=timedelta())
def repeat(text: str) -> str:
    """Return what was given."""
    _record()
    return text


@tool(tasks="always", timeout=TIMEOUT)
def collect(context: Context, word: str) -> str:
    """Take three steps, of which each takes a while."""
    _record()

    def part(number: int) -> str:
        time.sleep(BEAT_SECONDS)
        return f"{word}{number}"

    return " ".join([context.step(f"part {number}", partial(part, number)) for number in range(3)])


@tool(tasks="always", timeout=TIMEOUT)
def plod(context: Context, beats: int) -> str:
    """Work for some beats, and report each of them."""
    _record()
    for beat in range(beats):
        context.report_progress(beat, beats, f"beat {beat}")
        time.sleep(BEAT_SECONDS)
    return f"{beats} beats"


@tool(tasks="always", timeout=TIMEOUT)
def ask(context: Context, name: str) -> str:
    """Take a step, ask twice, and return all of it."""
    _record()
    began = context.step("first", lambda: f"{name} likes")
    first = _asked(context, "Which colour?", "first")
    second = _asked(context, f"And beside {first}?", "second")
    return f"{began} {first} and {second}"


@tool(tasks="always", timeout=TIMEOUT)
def nap(context: Context, word: str) -> str:
    """Sleep twice, for a second each, with a step between."""
    _record()
    context.sleep(timedelta(seconds=1))
    dreamt = context.step("dream", lambda: word[::-1])
    context.sleep(timedelta(seconds=1))
    return dreamt


TOOLS = [add, choose, repeat, collect, plod, ask, nap, remind_me]
