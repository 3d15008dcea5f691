"""Tools of an adopter: some that work for a caller and end in every way, and one that looks through its process."""

import gc
import json
import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from mcp_tasks import Context, Form, tool
from mcp_tasks.authoring.errors import ToolError


class Name(Form):
    """A form with one field."""

    name: str


def _worked(context: Context, secret: str) -> None:
    """Do what tools do with what they were given."""
    context.step("look up", lambda: f"step of {secret}")
    context.report_status(f"status of {secret}")


@tool(tasks="always")
def returns(context: Context, secret: str) -> str:
    """Return."""
    _worked(context, secret)
    return f"result of {secret}"


@tool(tasks="always")
def fails(context: Context, secret: str) -> str:
    """Fail as tools fail."""
    _worked(context, secret)
    raise ToolError(f"error of {secret}")


@tool(tasks="always")
def breaks(context: Context, secret: str) -> str:
    """Fail as no tool should."""
    _worked(context, secret)
    raise KeyError(secret)


@tool(tasks="always")
def asks(context: Context, secret: str) -> str:
    """Ask, and end until there is an answer."""
    _worked(context, secret)
    context.elicit(f"question of {secret}", Name, key="who")
    return "never"


@tool(tasks="always")
def sleeps(context: Context, secret: str) -> str:
    """Sleep."""
    _worked(context, secret)
    context.sleep(timedelta(hours=1))
    return "never"


@tool(tasks="always")
def search(context: Context, found: str) -> str:
    """Write all text that can be reached in this process to a file."""
    texts = sorted({each if isinstance(each, str) else each.decode("latin-1") for each in _texts()})
    Path(found).write_text(json.dumps(texts))
    return f"{len(texts)} texts"


def _texts() -> Iterator[str | bytes]:
    """Yield every text in every object, frame, module and variable of the environment."""
    seen: set[int] = set()
    left: list[Any] = [*gc.get_objects(), *sys._current_frames().values(), dict(os.environ), sys.modules]
    while left:
        value = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, str | bytes | bytearray):
            yield bytes(value) if isinstance(value, bytearray) else value
        else:
            left += gc.get_referents(value)


TOOLS = [returns, fails, breaks, asks, sleeps, search]
