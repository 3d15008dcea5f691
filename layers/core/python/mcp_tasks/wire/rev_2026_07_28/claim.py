"""Which requests are of this revision; all that is imported before there is one."""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import Batch, Message, Notification, Request, Response

NAME: Final = "2026-07-28"
VERSION: Final = "io.modelcontextprotocol/protocolVersion"
"""The field of `_meta` that says so."""


def claims(request: HttpRequest, message: Message | Batch | None) -> bool:
    """Tell whether a request is of this revision: by its envelope, or by a header that no handshake agrees on."""
    match message:
        case Request() | Notification():
            return VERSION in meta(message) or _named(request) >= NAME
        case Response():
            return False
        case _:
            # There is nothing of the kind in this revision, which is what a client that names it should be told.
            return _named(request) == NAME


def _named(request: HttpRequest) -> str:
    return request.headers.get("mcp-protocol-version", "").strip()


def meta(message: Request | Notification) -> Mapping[str, JSON]:
    """Return what a message says of itself."""
    found = message.params.get("_meta")
    return found if isinstance(found, dict) else {}
