"""Lists in pages: a cursor is the last entry of the page before, sealed for the caller and the list."""

from datetime import timedelta

from mcp_tasks.sealing import BadSeal
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.rev_2025_11_25.call import Call

LIFETIME = timedelta(hours=24)


def place(call: Call, method: str, cursor: str | None) -> str | None:
    """Return the entry after which a page starts; raises `RpcError` for a cursor that was not made here for this."""
    if cursor is None:
        return None
    try:
        return str(call.server.sealer.open(cursor, purpose=method, scope=call.caller.scope)["after"])
    except BadSeal as error:
        raise RpcError(
            INVALID_PARAMS, f"The cursor is none of {method}, or too old: list again from the start."
        ) from error


def next_cursor(call: Call, method: str, last: str | None) -> dict[str, JSON]:
    """Return the member that leads to the next page, or none after the last."""
    if last is None:
        return {}
    value = {"after": last}
    return {"nextCursor": call.server.sealer.seal(value, purpose=method, scope=call.caller.scope, lifetime=LIFETIME)}
