"""The waiter that polls: it wakes about twice a second, and its caller reads the task again."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Final

from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.records import record

# Half a second, plus or minus a quarter of it: jitter, so that waiters which began together do not read together.
SHORTEST: Final = timedelta(milliseconds=375)
LONGEST: Final = timedelta(milliseconds=625)


@record
class PollingWatch:
    """Wakes its caller by the clock alone; `chance` gives the jitter, from 0 up to 1."""

    clock: Clock
    chance: Callable[[], float] = random.random

    def pause(self, at_most: timedelta) -> Waker:
        """Sleep for about half a second."""
        self.clock.sleep(min(at_most, SHORTEST + (LONGEST - SHORTEST) * self.chance()))
        return Waker.POLL


@record
class PollingWaiter:
    """The `Waiter` that needs nothing but a clock."""

    clock: Clock
    chance: Callable[[], float] = random.random

    def watch(self, owner_key: str, *task_ids: str) -> AbstractContextManager[Watch]:
        """Return a watch that wakes by the clock, whatever the tasks."""
        return nullcontext(PollingWatch(clock=self.clock, chance=self.chance))
