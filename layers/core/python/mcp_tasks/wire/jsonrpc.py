"""JSON-RPC 2.0 as both revisions use it: one message a body, ids that are strings or integers, params by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import json_body

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

RequestId: TypeAlias = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A message that wants none."""

    method: str
    params: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The answer to a message of ours."""

    id: RequestId | None
    result: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None


Message: TypeAlias = Request | Notification | Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Several messages in one body; they are read (`message`) where it is known that a batch of so many is served."""

    messages: Sequence[JSON]


class RpcError(Exception):
    """What the client will read as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: JSON = None) -> None:
        """Keep the three fields of the error."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class HandlerError(RpcError):
    """An error that an adopter's function chose, whose code means what it says and nothing about the request."""


class Unreadable(RpcError):
    """The body is no message; `id` is its id as far as that could be read."""

    def __init__(self, code: int, message: str, id: RequestId | None = None) -> None:
        """Keep the id for the answer."""
        super().__init__(code, message)
        self.id = id


def parse(body: bytes) -> Message | Batch:
    """Read a body; raises `Unreadable`."""
    try:
        value = json_body.read(body)
    except json_body.NotJson as error:
        raise Unreadable(PARSE_ERROR, str(error)) from error
    return Batch(messages=value) if isinstance(value, list) else message(value)


def message(value: JSON) -> Message:
    """Read one message; raises `Unreadable`."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Unreadable(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0".')
    return _classified(value)


def as_id(value: JSON) -> RequestId | None:
    """Return the value as the id of a request, or None if it cannot be one."""
    # To JSON Schema 7.0 is an integer, and there are clients that write all numbers so.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= MAX_NAME_CHARACTERS
    return value if fits else None


def _classified(message: Mapping[str, JSON]) -> Message:
    request_id = as_id(message.get("id"))
    if "method" not in message:
        return _response(message, request_id)
    # Members that are null are as good as absent, here and in `params`: some clients write them all.
    method, params = message["method"], message.get("params")
    if "id" in message and request_id is None:
        raise Unreadable(
            INVALID_REQUEST,
            f"The id of a request is an integer or a string, of up to {MAX_NAME_CHARACTERS} characters.",
        )
    if not isinstance(method, str) or len(method) > MAX_NAME_CHARACTERS:
        raise Unreadable(
            INVALID_REQUEST, f"The method is a string of up to {MAX_NAME_CHARACTERS} characters.", request_id
        )
    if not isinstance(params, dict | None):
        raise Unreadable(INVALID_REQUEST, "The params are an object.", request_id)
    if request_id is None:
        return Notification(method=method, params=params or {})
    return Request(id=request_id, method=method, params=params or {})


def _response(message: Mapping[str, JSON], request_id: RequestId | None) -> Response:
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict) and error is None:
        return Response(id=request_id, result=result)
    if isinstance(error, dict) and result is None:
        return Response(id=request_id, error=error)
    raise Unreadable(INVALID_REQUEST, "A message has a method, or else a result or an error that is an object.")


def result(request_id: RequestId, content: Mapping[str, JSON]) -> dict[str, JSON]:
    """Make a successful answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": content}


def error(request_id: RequestId | None, rejection: RpcError) -> dict[str, JSON]:
    """Make an answer that refuses; without an id when there was none to read."""
    body = {"code": rejection.code, "message": rejection.message}
    if rejection.data is not None:
        body["data"] = rejection.data
    known = {"id": request_id} if request_id is not None else {}
    return {"jsonrpc": "2.0", **known, "error": body}


def notification(method: str, params: Mapping[str, JSON]) -> dict[str, JSON]:
    """Make a message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
