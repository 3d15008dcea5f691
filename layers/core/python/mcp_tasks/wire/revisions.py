"""The revisions of the protocol that this server supports."""

from importlib import import_module

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.revision import Revision

PACKAGES = (
    "rev_2026_07_28",
    "rev_2025_11_25",
)
"""One line each, newest first: the first that claims a request serves it."""


def revisions(storage: Storage) -> tuple[Revision, ...]:
    """Return all revisions, newest first; each keeps its own state, if any, in the storage."""
    return tuple(import_module(f"{__package__}.{name}").revision(storage) for name in PACKAGES)
