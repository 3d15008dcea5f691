"""Waking by the clock: come back about twice a second, and let whoever waits read the task again."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.waiter import Waker, Watch

# Half a second, give or take a quarter: waiters that began together must not go on reading together.
SHORTEST: Final = timedelta(milliseconds=375)
LONGEST: Final = timedelta(milliseconds=625)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollingWatch:
    """A watch that sees nothing and so says "look again" often; `chance` is at least 0 and below 1."""

    clock: Clock
    chance: Callable[[], float] = random.random

    def pause(self, at_most: timedelta) -> Waker:
        """Sleep for about half a second; see `Watch`."""
        self.clock.sleep(min(at_most, SHORTEST + (LONGEST - SHORTEST) * self.chance()))
        return Waker.POLL


@dataclass(frozen=True, slots=True, kw_only=True)
class PollingWaiter:
    """The waiter that needs nothing but a clock."""

    clock: Clock
    chance: Callable[[], float] = random.random

    def watch(self, owner_key: str, *task_ids: str) -> AbstractContextManager[Watch]:
        """Open a watch; see `Waiter`."""
        return nullcontext(PollingWatch(clock=self.clock, chance=self.chance))
