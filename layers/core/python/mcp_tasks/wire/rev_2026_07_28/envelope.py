"""Validates the envelope: the `_meta` of a request, and the headers that repeat the body.

The body decides.  Headers must match it, since gateways may have routed or authorized the request by them.
"""

from collections.abc import Callable, Mapping, Sequence

from mcp_tasks.authoring.wording import quoted_name, short
from mcp_tasks.limits.requests import MAX_QUOTED_NAME_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import UNSUPPORTED_VERSION, Request, RpcError
from mcp_tasks.wire.rev_2026_07_28.claim import NAME, VERSION, meta
from mcp_tasks.wire.rev_2026_07_28.errors import BadEnvelope, header_mismatch
from mcp_tasks.wire.rev_2026_07_28.headers import decoded

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which param the header Mcp-Name repeats, by method."""

NAMED_BY_TASK = ("tasks/get", "tasks/update", "tasks/cancel")
"""Where Mcp-Name repeats `taskId`.  It is checked only if sent: the core specification does not require it here, and
FastMCP does not send it."""


def validation_error(request: HttpRequest, message: Request, versions: Sequence[str]) -> RpcError | None:
    """Return the first error in the envelope of a request, or None; the method and its params are checked later.

    `versions` are those of the whole server, which a client is told that names another one.
    """
    envelope = meta(message)
    return (
        _handshake(message.method, envelope)
        or _incomplete(envelope)
        or _header("mcp-protocol-version", envelope[VERSION], request, read=str.strip)
        or _header("mcp-method", message.method, request, read=str.strip)
        or _misnamed(request, message)
        or _unsupported(envelope[VERSION], versions)
    )


def _handshake(method: str, envelope: Mapping[str, JSON]) -> RpcError | None:
    if method != "initialize" or VERSION in envelope:
        return None
    return header_mismatch(f"Version {NAME} has no `initialize`: leave the header out to negotiate another one.")


def _incomplete(envelope: Mapping[str, JSON]) -> RpcError | None:
    missing = [name for name in (VERSION, CAPABILITIES) if name not in envelope]
    if missing:
        return BadEnvelope(f"Invalid params: _meta lacks {' and '.join(missing)}.")
    if not isinstance(envelope[VERSION], str):
        return BadEnvelope(f"Invalid params: {VERSION} should be a string.")
    if not isinstance(envelope[CAPABILITIES], dict):
        return BadEnvelope(f"Invalid params: {CAPABILITIES} should be an object.")
    return None


def _misnamed(request: HttpRequest, message: Request) -> RpcError | None:
    if message.method in NAMED_BY_TASK:
        given = "mcp-name" in request.headers
        return _header("mcp-name", message.params.get("taskId"), request, read=decoded) if given else None
    if message.method in NAMED_BY:
        return _header("mcp-name", message.params.get(NAMED_BY[message.method]), request, read=decoded)
    return None


def _unsupported(version: str, versions: Sequence[str]) -> RpcError | None:
    if version == NAME:
        return None
    data = {"supported": list(versions), "requested": short(version, MAX_QUOTED_NAME_CHARACTERS)}
    return RpcError(UNSUPPORTED_VERSION, f"Version {quoted_name(version)} is not supported.", data)


def _header(name: str, value: JSON, request: HttpRequest, *, read: Callable[[str], str | None]) -> RpcError | None:
    """Return the error if a header, decoded by `read`, differs from the field that it repeats.

    A field that is no string passes: its method rejects it.
    """
    if not isinstance(value, str):
        return None
    if name not in request.headers:
        return header_mismatch(f"The header {name} is missing; it repeats {quoted_name(value)}.")
    given = request.headers[name]
    if read(given) != value:
        return header_mismatch(f"The header {name} is {quoted_name(given)}, and the body says {quoted_name(value)}.")
    return None
