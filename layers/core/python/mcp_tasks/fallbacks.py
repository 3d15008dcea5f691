"""Goes on without a stored item that cannot be read, and logs once what follows from that."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from mcp_tasks.limits.requests import MAX_REPORTED_ITEMS
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.json_values import READ_ERRORS
from mcp_tasks.tasks.model import Task

T = TypeVar("T")
S = TypeVar("S")

logger = logging.getLogger(__name__)

_reported: set[str] = set()


class LeftOut:
    """The items that were left out of a list, each once: by its kind and the rest of its name."""

    def __init__(self) -> None:
        self._names: set[tuple[str, str]] = set()

    def add(self, name: str) -> None:
        """Note an item by its name, which begins with its kind."""
        kind, _, rest = name.partition("#")
        self._names.add((kind, rest))

    def count(self, kind: str, is_on_page: Callable[[str], bool] = lambda rest: True) -> int:
        """Return how many of a kind are on a page, by the rest of their names: more is read than a page shows."""
        return sum(each == kind and is_on_page(rest) for each, rest in self._names)


_left_out: ContextVar[LeftOut | None] = ContextVar("_left_out", default=None)


@contextmanager
def noting_left_out() -> Iterator[LeftOut]:
    """Yield what notes each item that `readable` leaves out within the block."""
    token = _left_out.set(noted := LeftOut())
    try:
        yield noted
    finally:
        _left_out.reset(token)


def readable(
    items: Iterable[T], read: Callable[[T], S], *, name: Callable[[T], str], owner_key: Callable[[T], str]
) -> Iterator[S]:
    """Yield what `read` makes of items; leave out each that it makes nothing of, log its name, and note it.

    So no item, however damaged, is the end of a list.
    """
    for item in items:
        with skip_unreadable("the item is left out", owner_key=owner_key(item)):
            try:
                made = read(item)
            except (UnreadableItem, *READ_ERRORS) as error:
                if (noted := _left_out.get()) is not None:
                    noted.add(name(item))
                if isinstance(error, UnreadableItem):
                    raise
                # Without its text, which may quote the item in a log.
                raise UnreadableItem(name(item), f"cannot be read: {type(error).__name__}") from None
            yield made


def readable_tasks(owner_key: str, tasks: Iterable[Task], read: Callable[[Task], S]) -> Iterator[S]:
    """Yield what `read` makes of an owner's tasks, as `readable` does."""
    return readable(tasks, read, name=lambda task: f"task#{task.id}", owner_key=lambda _: owner_key)


def left_out_tasks(left_out: LeftOut, last: str | None) -> int:
    """Return how many tasks a page leaves out, whose last one is that, or is the last of all."""
    return left_out.count("task", lambda task_id: last is None or task_id >= last)


@contextmanager
def skip_unreadable(consequence: str, **fields: str) -> Iterator[None]:
    """Run the block; where it raises `UnreadableItem`, leave it and log the consequence.

    `fields` are logged with it, and say whose item it is.
    """
    try:
        yield
    except UnreadableItem as unreadable:
        report_unreadable(consequence, unreadable, **fields)


def report_unreadable(consequence: str, unreadable: UnreadableItem, **fields: str) -> None:
    """Log what follows from an item that cannot be read, once in this process: it may be met at every poll."""
    said = f"{consequence}: {unreadable} {fields}"
    if said in _reported:
        return
    if len(_reported) >= MAX_REPORTED_ITEMS:
        _reported.clear()
    _reported.add(said)
    # A subject, which an owner key has, is named in audit records alone: those of the task say whose it is.
    whose = {"tenant": fields.pop("owner_key").partition("#")[0]} if "owner_key" in fields else {}
    logger.error("%s: %s", consequence, unreadable, extra={**whose, **fields, "fallback": "unreadable_item"})


def forget_reported() -> None:
    """Log again what was logged before; for tests."""
    _reported.clear()
