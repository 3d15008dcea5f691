"""How long the current request goes on trying what AWS refuses for the moment: by default, as long as botocore does.

The AWS client gives up after three attempts, and after fewer once its retry quota is used up.  So a caller that has
more time says so: the endpoint for a request, another function for its own run.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record

FIRST_PAUSE: Final = timedelta(milliseconds=100)
LONGEST_PAUSE: Final = timedelta(seconds=1)


@record
class Patience:
    """The time until which a refused call is tried again; `chance` gives the jitter of pauses, from 0 up to 1."""

    clock: Clock
    until: datetime
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int) -> bool:
        """Pause after an attempt, counted from 0; return False at once if there is no time for another one."""
        longest = min(FIRST_PAUSE * 2 ** min(attempt, 10), LONGEST_PAUSE)
        return self.sleep(longest * (1 + self.chance()) / 2)

    def sleep(self, wait: timedelta) -> bool:
        """Return True after that much time, and False at once if there is not so much left."""
        if self.clock.now() + wait >= self.until:
            return False
        self.clock.sleep(wait)
        return True


PATIENCE: Final[ContextVar[Patience | None]] = ContextVar("patience", default=None)
"""That of the current request; None for as much as botocore has."""


@contextmanager
def patient(patience: Patience | None) -> Iterator[None]:
    """Have this much patience until the block ends."""
    token = PATIENCE.set(patience)
    try:
        yield
    finally:
        PATIENCE.reset(token)
