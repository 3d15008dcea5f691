"""How those who wait for a task learn that it changed."""

from contextlib import AbstractContextManager
from datetime import timedelta
from enum import StrEnum
from typing import Protocol


class Waker(StrEnum):
    """Why somebody who waited looked again: they were told of a change, or looked by the clock, or had to answer."""

    STREAM = "stream"
    POLL = "poll"
    DEADLINE = "deadline"


class Watch(Protocol):
    """One waiter's view of some tasks."""

    def pause(self, at_most: timedelta) -> Waker:
        """Come back when it is time to read them again: soon after one changed, and now and then in any case."""


class Waiter(Protocol):
    """What wakes those who wait for tasks.

    The order is a law: open the watch, then read the tasks, then pause.  The stored task is the truth; a watch only
    says "look again".
    """

    def watch(self, owner_key: str, *task_ids: str) -> AbstractContextManager[Watch]:
        """Open a watch that notices every change of these tasks from now on."""
