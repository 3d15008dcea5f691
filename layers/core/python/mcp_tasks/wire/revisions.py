"""The revisions of the protocol that this server speaks."""

from importlib import import_module

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.revision import Revision

PACKAGES = (
    "rev_2026_07_28",
    "rev_2025_11_25",
)
"""A line each, newest first: the first to claim a request serves it."""


def revisions(storage: Storage) -> tuple[Revision, ...]:
    """Return them all, with whatever state they keep in a storage."""
    return tuple(import_module(f"{__package__}.{name}").revision(storage) for name in PACKAGES)
