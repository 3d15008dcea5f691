"""Clients of either revision, by the methods that both have."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from mcp_tasks.security.tenancy import Caller
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client as Old
from tests.protocol.rev_2026_07_28.client import ABLE, ANSWERS
from tests.protocol.rev_2026_07_28.client import Client as New

__all__ = ["REVISIONS", "Either", "New", "Old", "client", "common_fields"]

REVISIONS: Final = ("2025-11-25", "2026-07-28")
Either: TypeAlias = Old | New

OF_A_REVISION: Final = ("resultType", "ttlMs", "cacheScope", "_meta")
"""Fields of results that differ between the revisions."""


def client(revision: str, harness: Harness, caller: Caller, *, knows_tasks: bool = True) -> Either:
    """Return a client of that revision, with a session if it needs one."""
    if revision == "2026-07-28":
        return New(harness, caller, ABLE if knows_tasks else ANSWERS)
    old = Old(harness, caller)
    old.initialize({"tasks": {}} if knows_tasks else {})
    return old


def common_fields(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a result that both revisions have."""
    return {name: value for name, value in result.items() if name not in OF_A_REVISION}
