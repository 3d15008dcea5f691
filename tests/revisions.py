"""The revisions of the protocol that the server speaks; what tests need of one lies below a folder named for it."""

from importlib import import_module
from typing import Any, Final

from mcp_tasks.testing import harness

REVISIONS: Final = harness.REVISIONS
"""Newest first."""


def module_of(revision: str, name: str) -> Any:
    """Return a module of the folder that the protocol's tests have for a revision."""
    return import_module(f"tests.protocol.{harness.package(revision)}.{name}")
