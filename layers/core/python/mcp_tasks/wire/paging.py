"""Pagination: a cursor holds the last entry of the previous page, signed for the caller and the method."""

from collections.abc import Mapping
from typing import TypeVar

from mcp_tasks.limits.waits import CURSOR_LIFETIME
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.fields import optional, text
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.revision import Server

T = TypeVar("T")


def page(
    server: Server, caller: Caller, method: str, params: Mapping[str, JSON], entries: Mapping[str, T]
) -> tuple[list[T], dict[str, JSON]]:
    """Return the page at the cursor in the params, and `nextCursor` as a dict; raises `RpcError`."""
    names = list(entries)
    after = place(server, caller, method, params)
    start = names.index(after) + 1 if after in names else 0
    shown = names[start : start + server.page_size]
    last = shown[-1] if start + len(shown) < len(names) else None
    return [entries[name] for name in shown], next_cursor(server, caller, method, last)


def place(server: Server, caller: Caller, method: str, params: Mapping[str, JSON]) -> str | None:
    """Return the entry after which the page starts; raises `RpcError` for a cursor of another caller or method."""
    cursor = optional(params, "cursor", text)
    if cursor is None:
        return None
    try:
        return str(server.signer.verify(cursor, purpose=method, owner_key=caller.owner_key)["after"])
    except (BadSignature, KeyError) as error:
        raise RpcError(
            INVALID_PARAMS, f"The cursor is none of {method}, or too old: list again from the start."
        ) from error


def next_cursor(server: Server, caller: Caller, method: str, last: str | None) -> dict[str, JSON]:
    """Return `nextCursor` as a dict to merge into the result; empty after the last page."""
    if last is None:
        return {}
    value = {"after": last}
    return {
        "nextCursor": server.signer.sign(value, purpose=method, owner_key=caller.owner_key, lifetime=CURSOR_LIFETIME)
    }
