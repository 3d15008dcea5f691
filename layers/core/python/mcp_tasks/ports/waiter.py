"""The waiter: it wakes requests that wait for tasks to change."""

from contextlib import AbstractContextManager
from datetime import timedelta
from enum import StrEnum
from typing import Protocol


class Waker(StrEnum):
    """What ended a pause: a record of the table's stream, the interval of polling, or the deadline of the wait."""

    STREAM = "stream"
    POLL = "poll"
    DEADLINE = "deadline"


class Watch(Protocol):
    """What one request waits with, for some tasks."""

    def pause(self, at_most: timedelta) -> Waker:
        """Return when the tasks should be read again: soon after one changed, from time to time, or after `at_most`."""


class Waiter(Protocol):
    """Opens watches on tasks.

    Callers open the watch first, then read the tasks, then pause, so that no change is missed.  A watch only says that
    the tasks should be read again; what they are is in the store.
    """

    def watch(self, owner_key: str, *task_ids: str) -> AbstractContextManager[Watch]:
        """Return a watch that wakes for each change of these tasks from now on, until it is closed."""
