"""The revisions of the protocol that this server supports."""

import json
import sys
from importlib import import_module
from typing import Any

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.revision import Revision

PACKAGES = (
    "rev_2026_07_28",
    "rev_2025_11_25",
)
"""One line each, newest first: the first that claims a request serves it."""


def revisions(storage: Storage) -> tuple[Revision, ...]:
    """Return all revisions, newest first; each keeps its own state, if any, in the storage."""
    return tuple(_package(name).revision(storage) for name in PACKAGES)


def functions() -> list[str]:
    """Return the names of the functions that are deployed because a revision needs them."""
    return sorted({name for package in PACKAGES for name in _package(package).FUNCTIONS})


def _package(name: str) -> Any:
    return import_module(f"mcp_tasks.wire.{name}")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(functions()))
