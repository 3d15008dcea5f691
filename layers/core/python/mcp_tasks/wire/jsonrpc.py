"""JSON-RPC 2.0 as MCP uses it: ids are strings or integers, params are objects, batches are read one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from mcp_tasks.engine.current_call import note
from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import json_body

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

RequestId: TypeAlias = str | int


@record
class Request:
    """A message that expects a response."""

    id: RequestId
    method: str
    params: Mapping[str, JSON] = field(default_factory=dict)


@record
class Notification:
    """A message that expects no response."""

    method: str
    params: Mapping[str, JSON] = field(default_factory=dict)


@record
class Response:
    """A client's response to a request of this server."""

    id: RequestId | None
    result: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None


Message: TypeAlias = Request | Notification | Response


@record
class Batch:
    """A JSON array as a body; its elements are parsed by `message` once the revision has checked how many there are."""

    messages: Sequence[JSON]


class RpcError(Exception):
    """An error that is sent to the client as a JSON-RPC error response."""

    def __init__(self, code: int, message: str, data: JSON = None) -> None:
        """Take the fields of the error object; `data` is left out of it if None."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class HandlerError(RpcError):
    """An error whose code a tool, prompt or resource chose; the code says nothing about the HTTP request."""


class Unreadable(RpcError):
    """The body is not a valid message; `id` is the id of the request if it could be read."""

    def __init__(self, code: int, message: str, id: RequestId | None = None) -> None:
        """Take the error, and the id for the error response."""
        super().__init__(code, message)
        self.id = id


def parse(body: bytes) -> Message | Batch:
    """Parse a body; raises `Unreadable`."""
    try:
        value = json_body.read(body)
    except json_body.NotJson as error:
        raise Unreadable(PARSE_ERROR, str(error)) from error
    return Batch(messages=value) if isinstance(value, list) else message(value)


def message(value: JSON) -> Message:
    """Return a JSON value as one message; raises `Unreadable`."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Unreadable(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0".')
    return _classified(value)


def as_id(value: JSON) -> RequestId | None:
    """Return the value as the id of a request, or None if it cannot be one."""
    # To JSON Schema 7.0 is an integer, and some clients write all numbers as floats.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= MAX_NAME_CHARACTERS
    return value if fits else None


def _classified(message: Mapping[str, JSON]) -> Message:
    request_id = as_id(message.get("id"))
    if "method" not in message:
        return _response(message, request_id)
    # Null counts as missing, here and in `params`: some clients write every optional field.
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
    """Return a response with a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": content}


def error(request_id: RequestId | None, rejection: RpcError) -> dict[str, JSON]:
    """Return an error response, without an id if the request's could not be read."""
    note(error=rejection.code)
    body = {"code": rejection.code, "message": rejection.message}
    if rejection.data is not None:
        body["data"] = rejection.data
    known = {"id": request_id} if request_id is not None else {}
    return {"jsonrpc": "2.0", **known, "error": body}


def notification(method: str, params: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
