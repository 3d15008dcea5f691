"""Goes on without a stored item that cannot be read, and logs once what follows from that."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from mcp_tasks.limits.requests import MAX_REPORTED_ITEMS
from mcp_tasks.tasks.errors import UnreadableItem

logger = logging.getLogger(__name__)

_reported: set[str] = set()


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
