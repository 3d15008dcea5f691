"""How many bytes of arguments and results a tenant keeps, by the hours in which their tasks expire; pure, no I/O.

No task is deleted before it expires, so that nothing is ever given back: what an hour's tasks keep is no longer counted
when it is over.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from mcp_tasks.limits.waits import KEPT_WINDOW
from mcp_tasks.tasks.errors import ArgumentsTooLarge, LimitReached
from mcp_tasks.tasks.model import JSON, Task


def size_of(document: JSON) -> int:
    """Return how many bytes a document is stored in."""
    return len(json.dumps(document, separators=(",", ":")))


def kept_until(task: Task) -> datetime:
    """Return the end of the hour in which a task expires."""
    return task.expires_at + KEPT_WINDOW - timedelta(seconds=task.expires_at.timestamp() % KEPT_WINDOW.total_seconds())


def check_room(kept: Mapping[datetime, int], size: int, limit: int, *, whose: str, now: datetime) -> None:
    """Raise `LimitReached` where `size` bytes do not fit beside those that are kept, each until its time.

    Raises `ArgumentsTooLarge` where they would not fit either if nothing was kept.
    """
    if size > limit:
        raise ArgumentsTooLarge(size, limit)
    left = limit - sum(kept.values())
    if size <= left:
        return
    room = left
    for until in sorted(kept):
        room += kept[until]
        if size <= room:
            break
    message = f"of this {whose}, {limit} bytes of arguments and results may be kept"
    remaining, wait = max(0, left), until - now
    raise LimitReached("stored_bytes", limit=limit, remaining=remaining, retry_after=wait, message=message)
