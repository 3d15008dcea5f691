"""Lists of tasks without those that cannot be read."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from mcp_tasks.fallbacks import LeftOut, readable
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task

T = TypeVar("T")


def readable_tasks(caller: Caller, tasks: Iterable[Task], read: Callable[[Task], T]) -> Iterator[T]:
    """Yield what `read` makes of a caller's tasks, without those that it makes nothing of (`fallbacks.readable`)."""
    return readable(tasks, read, name=lambda task: f"task#{task.id}", owner_key=lambda _: caller.owner_key)


def left_out_tasks(left_out: LeftOut, last: str | None) -> int:
    """Return how many tasks a page leaves out, whose last one is that, or is the last of all."""
    return left_out.count("task", lambda task_id: last is None or task_id >= last)
