"""The names of steps, by which their results are recorded."""

from collections.abc import Coroutine
from typing import Final, NoReturn

from mcp_tasks.limits.tools import MAX_STEP_NAME_CHARACTERS

ONE_EACH: Final = 'name each by what it works on, as in f"charge {order}"'
USED_TWICE: Final = f"and the second would get the result of the first: {ONE_EACH}"


class NotRecorded(Exception):
    """A step has no result yet."""


def raise_not_recorded() -> NoReturn:
    """Stand in for a step that is not to be run here; raises `NotRecorded`."""
    raise NotRecorded


def check_called(step: str, fn: object) -> None:
    """Check a step's name, and raise `TypeError` where it is given a value: its function was called, not passed."""
    check_step_name(step)
    if not callable(fn):
        kind = "an awaitable" if hasattr(fn, "__await__") else f"a value ({type(fn).__name__})"
        if isinstance(fn, Coroutine):
            fn.close()
        raise TypeError(f"step {step} is given {kind}, and not a function: write `lambda: ...`, which it calls itself")


def check_step_name(name: object) -> None:
    """Raise `TypeError` for what is no text, and `ValueError` for a text that is too long."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a step is a text, not {name!r}: {ONE_EACH}")
    if len(name) > MAX_STEP_NAME_CHARACTERS:
        raise ValueError(f"the name of a step has {len(name):,} characters: {MAX_STEP_NAME_CHARACTERS:,} is the most")
