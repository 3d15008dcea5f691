"""What is logged of a message, which may hold any text: names that the server knows, and no others."""

from collections.abc import Callable, Mapping
from typing import Final

from mcp_tasks.features.listing import Features
from mcp_tasks.wire.jsonrpc import Batch, Message, Response

UNKNOWN: Final = "unknown"
"""Logged in place of a method that the revision does not have."""


def described(
    features: Features, message: Message | Batch | None, has_method: Callable[[str], bool]
) -> Mapping[str, str]:
    """Return the method of a message, if the revision has it, and the tool that it names, if that is listed.

    A response and a batch have no method of their own.
    """
    match message:
        case None:
            return {}
        case Batch():
            return {"method": "batch"}
        case Response():
            return {"method": "response"}
        case _:
            method = message.method if has_method(message.method) else UNKNOWN
            name = message.params.get("name") if method == "tools/call" else None
            return {"method": method, **({"tool": name} if isinstance(name, str) and features.tools.find(name) else {})}
