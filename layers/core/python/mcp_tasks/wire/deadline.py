"""An end for requests that nothing else ends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import current_thread, main_thread
from typing import Final

REPEAT_SECONDS: Final = 0.25
MIN_SECONDS: Final = 0.001


class OutOfTime(KeyboardInterrupt):
    """The request has taken too long; an interrupt, because that is what no tool and no catch-all keeps to itself."""


@contextmanager
def deadline(limit: timedelta | None) -> Iterator[None]:
    """Interrupt the block after that time, and again four times a second while it cleans up; raises `OutOfTime`.

    Time limits of sockets are for one read each, so an answer that drips keeps within them for ever.  Only the main
    thread can be interrupted: that is where Lambda calls its handlers.
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
