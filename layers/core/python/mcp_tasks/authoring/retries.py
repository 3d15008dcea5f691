"""Retries of a step within its run: which errors are retried, and after how long."""

import logging
import random
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from mcp_tasks.authoring.errors import McpError, ToolError
from mcp_tasks.limits.waits import LONGEST_BACKOFF, MAX_DOUBLINGS

logger = logging.getLogger(__name__)

T = TypeVar("T")


def retried(fn: Callable[[], T], step: str, retries: int, backoff: timedelta, wait: Callable[[timedelta], bool]) -> T:
    """Return what `fn` returns, calling it again after each failure, `retries` times at most; raises its last error.

    `wait` waits, and returns False where there is no time left to.  `ToolError` and `McpError` are not retried: with
    them a tool answers its client.
    """
    for retry in range(retries):
        try:
            return fn()
        except (ToolError, McpError):
            raise
        except Exception as error:
            delay = _delay(backoff, retry)
            seconds = f"{delay.total_seconds():.1f} s"
            logger.warning("step %s failed, retry %s of %s in %s: %r", step, retry + 1, retries, seconds, error)
            if not wait(delay):
                raise
    return fn()


def _delay(backoff: timedelta, retry: int) -> timedelta:
    doubled: timedelta = min(backoff * 2 ** min(retry, MAX_DOUBLINGS), max(backoff, LONGEST_BACKOFF))
    # What failed at the same moment is not retried at the same moment.
    return doubled * random.uniform(0.5, 1)
