"""The error codes of this revision, and the HTTP status of each.

"[-32601] ... the server MUST return 404 Not Found"; the three codes of this revision's own, and -32602 for a defect of
the envelope, have status 400; other errors of a method have 200.  -- Streamable HTTP, Sending Messages
"""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, HandlerError, RpcError

HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021

STATUS: Final[Mapping[int, int]] = {
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}


class BadEnvelope(RpcError):
    """The `_meta` of the request lacks a required field, or has an invalid one."""

    def __init__(self, message: str) -> None:
        """Take the message, which names the field."""
        super().__init__(INVALID_PARAMS, message)


def header_mismatch(message: str) -> RpcError:
    """Return the error for a request whose headers differ from its body."""
    return RpcError(HEADER_MISMATCH, message)


def missing_capability(message: str, required: Mapping[str, JSON]) -> RpcError:
    """Return the error for a request whose client did not declare the capabilities that it needs."""
    return RpcError(MISSING_CAPABILITY, message, {"requiredCapabilities": required})


def status_of(error: RpcError) -> int:
    """Return the HTTP status of an error."""
    match error:
        case BadEnvelope():
            return 400
        case HandlerError():
            return 200
        case _:
            return STATUS.get(error.code, 200)
