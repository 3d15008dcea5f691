"""Skips a stored item that cannot be read, and logs what follows from that."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from mcp_tasks.tasks.errors import UnreadableItem

logger = logging.getLogger(__name__)


@contextmanager
def skip_unreadable(consequence: str, **fields: str) -> Iterator[None]:
    """Run the block; where it raises `UnreadableItem`, leave it and log the consequence.

    `fields` are logged with it, and say whose item it is.
    """
    try:
        yield
    except UnreadableItem as unreadable:
        logger.error("%s: %s", consequence, unreadable, extra={**fields, "fallback": "unreadable_item"})
