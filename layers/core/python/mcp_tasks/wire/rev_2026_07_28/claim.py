"""Decides which requests are of this revision; imported at start, while the rest waits for the first such request."""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import Batch, Message, Notification, Request, Response

NAME: Final = "2026-07-28"
VERSION: Final = "io.modelcontextprotocol/protocolVersion"
"""The field of `_meta` that names the revision."""


def claims(request: HttpRequest, message: Message | Batch | None) -> bool:
    """Return whether a request is of this revision: its envelope or its MCP-Protocol-Version header says so."""
    match message:
        case Request() | Notification():
            return VERSION in meta(message) or _named(request) >= NAME
        case Response():
            return False
        case _:
            # GET, DELETE and batches do not exist in this revision: a client that names it gets its error.
            return _named(request) == NAME


def _named(request: HttpRequest) -> str:
    return request.headers.get("mcp-protocol-version", "").strip()


def meta(message: Request | Notification) -> Mapping[str, JSON]:
    """Return the `_meta` of a message, empty if it is missing or no object."""
    found = message.params.get("_meta")
    return found if isinstance(found, dict) else {}
