"""The process's environment, as functions have it that give one name different values: they take turns with it."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

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


def _take(stack: ExitStack, own: Mapping[str, str]) -> None:
    stack.enter_context(_turn)
    stack.enter_context(patch.dict(os.environ, own))
