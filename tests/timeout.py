"""Waiting for what other processes do: a condition and a deadline, never a sleep that hopes."""

import time
from collections.abc import Callable
from typing import Literal, TypeVar

T = TypeVar("T")

PAUSE_SECONDS = 0.02


def until(condition: Callable[[], T | Literal[False] | None], *, within: float = 30, pause: float = PAUSE_SECONDS) -> T:
    """Return what the condition returns as soon as that is true of anything; fail after `within` seconds."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not so after {within} s: {condition.__qualname__}, {found!r}"
        time.sleep(pause)
    return found
