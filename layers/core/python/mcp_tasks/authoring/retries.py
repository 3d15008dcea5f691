"""Retries of a step within its run: which errors are retried, and after how long."""

import logging
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from inspect import isawaitable
from typing import Self, TypeVar

from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.authoring.errors import McpError, ToolError
from mcp_tasks.limits.waits import LONGEST_BACKOFF, LONGEST_SPAN, MAX_DOUBLINGS
from mcp_tasks.records import record

logger = logging.getLogger(__name__)

T = TypeVar("T")


class NotAsync(TypeError):
    """A step that is awaited was given a function that is not async."""


@record
class Retries:
    """The retries of one step: so many at most, the first one after `backoff`.

    `wait` waits, and returns False where there is no time left to.
    """

    step: str
    most: int
    backoff: timedelta
    wait: Callable[[timedelta], bool]

    @classmethod
    def of(cls, step: str, retries: object, backoff: timedelta, *, wait: Callable[[timedelta], bool]) -> Self:
        """Check what an author wrote; raises `TypeError`, and what `check_durations` does."""
        if not isinstance(retries, int) or retries < 0:
            raise TypeError(f"step {step}: retries is how often it is tried again, such as 3, not {retries!r}")
        check_durations(f"step {step}", longest=LONGEST_SPAN, backoff=backoff)
        return cls(step=step, most=retries, backoff=backoff, wait=wait)

    def run(self, fn: Callable[[], T]) -> T:
        """Return what `fn` returns, calling it again after each failure; raises its last error."""
        for retry in range(self.most):
            try:
                return fn()
            except Exception as error:
                if not self._goes_on(error, retry):
                    raise
        return fn()

    async def run_async(self, fn: Callable[[], Awaitable[T]]) -> T:
        """Do the same with a function that is awaited; the event loop stands still while a retry is waited for."""
        for retry in range(self.most):
            try:
                return await self._awaitable(fn)
            except Exception as error:
                if not self._goes_on(error, retry):
                    raise
        return await self._awaitable(fn)

    def _awaitable(self, fn: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        found = fn()
        if not isawaitable(found):
            raise NotAsync(f"step {self.step} has a function that is not async: write `context.step(...)`")
        return found

    def _goes_on(self, error: Exception, retry: int) -> bool:
        # With errors of two kinds a tool answers its client; a function that is not async has done its work.
        if isinstance(error, ToolError | McpError | NotAsync):
            return False
        delay = _delay(self.backoff, retry)
        seconds = f"{delay.total_seconds():.1f} s"
        logger.warning("step %s failed, retry %s of %s in %s: %r", self.step, retry + 1, self.most, seconds, error)
        return self.wait(delay)


def _delay(backoff: timedelta, retry: int) -> timedelta:
    doubled: timedelta = min(backoff * 2 ** min(retry, MAX_DOUBLINGS), max(backoff, LONGEST_BACKOFF))
    # What failed at the same moment is not retried at the same moment.
    return doubled * random.uniform(0.5, 1)
