"""A deadline for a whole request, whatever it is blocked on."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import current_thread, main_thread
from typing import Final

REPEAT_SECONDS: Final = 0.25
MIN_SECONDS: Final = 0.001


class OutOfTime(KeyboardInterrupt):
    """The request took too long.  No subclass of `Exception`, so that no `except Exception` of a tool catches it."""


@contextmanager
def deadline(limit: timedelta | None) -> Iterator[None]:
    """Interrupt the block after `limit`, and every `REPEAT_SECONDS` while it cleans up; raises `OutOfTime`.

    A socket's timeout applies to each read, so a response that arrives byte by byte never exceeds it.  Signals reach
    the main thread only, which is where Lambda calls its handlers; in another thread there is no deadline.
    """
    if limit is None or current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, max(limit.total_seconds(), MIN_SECONDS), REPEAT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(number: int, frame: object) -> None:
    raise OutOfTime
