"""Tools whose results are as large as they may be, of one kind each, and one that takes its time."""

import time
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks import tool

TIMEOUT = timedelta(minutes=5)
SECONDS = 1.0
"""Which each takes, so that whoever asks for its result has to come again for it."""


@dataclass
class Rows:
    """A table."""

    rows: list[dict[str, float]]


@dataclass
class Lists:
    """Lists of nothing."""

    lists: list[list[int]]


@tool(timeout=TIMEOUT)
def letters(count: int) -> str:
    """Return a text of letters that take a byte each."""
    time.sleep(SECONDS)
    return "x" * count


@tool(timeout=TIMEOUT)
def signs(count: int) -> str:
    """Return a text with a sign in it that makes each of its letters take four bytes in memory."""
    time.sleep(SECONDS)
    return "x" * count + "\N{PENGUIN}"


@tool(timeout=TIMEOUT)
def rows(count: int) -> Rows:
    """Return a table, as an object and as its text."""
    time.sleep(SECONDS)
    return Rows([{"number": number, "half": number / 2} for number in range(count)])


@tool(timeout=TIMEOUT)
def lists(count: int) -> Lists:
    """Return lists of nothing, of which a byte of JSON takes the most memory."""
    time.sleep(SECONDS)
    return Lists([[]] * count)


@tool(timeout=TIMEOUT)
def work(seconds: float) -> str:
    """Work for so long."""
    time.sleep(seconds)
    return "done"


TOOLS = [letters, signs, rows, lists, work]
