"""The process's environment, as functions have it that give one name different values: they take turns with it."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

_turn = threading.RLock()
_mine = threading.local()


@contextmanager
def variables(own: Mapping[str, str]) -> Iterator[None]:
    """Set these variables for as long as a function of this thread runs; no other has its own meanwhile."""
    with ExitStack() as stack:
        _take(stack, own)
        before: Any = getattr(_mine, "turn", None)
        _mine.turn = (stack, own)
        try:
            yield
        finally:
            _mine.turn = before


@contextmanager
def paused() -> Iterator[None]:
    """Leave the environment to others, while the function of this thread sleeps."""
    turn = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    stack, own = turn
    stack.close()
    try:
        yield
    finally:
        _take(stack, own)


@contextmanager
def unchanged() -> Iterator[None]:
    """Wait until no function has its own: to copy the environment fails where a variable goes meanwhile."""
    with _turn:
        yield


def _take(stack: ExitStack, own: Mapping[str, str]) -> None:
    stack.enter_context(_turn)
    stack.enter_context(_set(own))


@contextmanager
def _set(own: Mapping[str, str]) -> Iterator[None]:
    # Not by `patch.dict`, which empties the environment and fills it again, under the eyes of all other threads.
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
