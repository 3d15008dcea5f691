"""A client of revision 2026-07-28, which has no sessions: each request carries its envelope."""

import base64
import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing import client
from mcp_tasks.testing.client import (
    RESPONDS,
    InputRequest,
    NotATask,
    NotSupported,
    Responder,
    Sleep,
    Task,
    TaskState,
    ToolResult,
    Transport,
    no_sleep,
    result_of,
)
from mcp_tasks.testing.replies import Reply, read
from mcp_tasks.wire.http import HttpRequest

REVISION: Final = "2026-07-28"
EXTENSION: Final = "io.modelcontextprotocol/tasks"

VERSION: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT: Final = "io.modelcontextprotocol/clientInfo"
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER: Final = "io.modelcontextprotocol/serverInfo"

TASKS: Final[Mapping[str, Any]] = {"extensions": {EXTENSION: {}}}
"""The capability that a client with task support declares."""

ABLE: Final[Mapping[str, Any]] = {**RESPONDS, **TASKS}
"""All client capabilities, and the tasks extension."""


class _LeftOut:
    def __repr__(self) -> str:
        return "left out"


LEFT_OUT: Final[Any] = _LeftOut()
"""Given in place of a field of the envelope, to leave that out."""

NAMED_BY: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
PLAIN = re.compile(r"([!-~]([ -~\t]*[!-~])?)?")
SENTINEL = re.compile(r"=\?base64\?.*\?=")


class Client(client.Client):
    """A client of one caller.  Headers are keyword arguments; None leaves out a header that is otherwise sent."""

    def __init__(
        self,
        transport: Transport,
        capabilities: Mapping[str, Any] = ABLE,
        *,
        responder: Responder | None = None,
        sleep: Sleep = no_sleep,
        poll: Sleep | None = None,
    ) -> None:
        super().__init__(transport, capabilities, responder=responder, sleep=sleep, poll=poll)
        self.ids = count()

    def call_tool(self, name: str, arguments: Mapping[str, JSON] | None = None) -> ToolResult:
        """Call a tool, respond to its input requests, and wait for its task if it has one; raises `McpError`."""
        result = self._called(name, arguments)
        return self.task(result["taskId"]).wait() if result["resultType"] == "task" else ToolResult.of(result)

    def start_task(self, name: str, arguments: Mapping[str, JSON] | None = None) -> Task:
        """Call a tool as a task; raises `NotATask`, and `McpError`."""
        result = self._called(name, arguments)
        if result["resultType"] != "task":
            raise NotATask(f"{name} returned without a task: {result}", ToolResult.of(result))
        return self.task(result["taskId"])

    def get_task(self, task_id: str) -> TaskState:
        """Return a task as it is now; raises `McpError`."""
        result = self.request("tasks/get", {"taskId": task_id})
        interval = timedelta(milliseconds=result["pollIntervalMs"])
        return TaskState(
            status=result["status"], message=result.get("statusMessage"), poll_interval=interval, result=result
        )

    def ended_task_result(self, task_id: str) -> ToolResult:
        """Return the result of a task that has ended and was not cancelled; raises `McpError`."""
        return ToolResult.of(result_of(self.get_task(task_id).result))

    def cancel_task(self, task_id: str) -> None:
        """Cancel a task, which has no effect if it has ended; raises `McpError`."""
        self.request("tasks/cancel", {"taskId": task_id})

    def input_requests(self, task_id: str) -> list[InputRequest]:
        """Return the task's input requests that have no response yet."""
        requests = self.get_task(task_id).result.get("inputRequests", {})
        return [self._input_request(task_id, key, request) for key, request in requests.items()]

    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request, and return its result without `serverInfo`; raises `McpError`."""
        return without_server_info(result_of(self.send_request(method, params).response))

    def _called(self, name: str, arguments: Mapping[str, JSON] | None) -> Any:
        """Call a tool, and repeat the call with input responses for as long as the result is `input_required`."""
        params: dict[str, Any] = {"name": name, "arguments": arguments or {}}
        result = self.request("tools/call", params)
        while result["resultType"] == "input_required":
            state = {"requestState": result["requestState"]} if "requestState" in result else {}
            responses = self._responses(result.get("inputRequests", {}))
            result = self.request("tools/call", {**params, **state, "inputResponses": responses})
        return result

    def _responses(self, requests: Mapping[str, Any]) -> Mapping[str, JSON]:
        """Return the responder's responses to the requests; raises `NoResult` if the client has no responder."""
        responses: dict[str, JSON] = {}
        for key, request in requests.items():
            self.respond_to(_input_request(key, request, partial(responses.__setitem__, key)))
        return responses

    def _input_request(self, task_id: str, key: str, request: Mapping[str, Any]) -> InputRequest:
        def respond(result: JSON) -> None:
            self.request("tasks/update", {"taskId": task_id, "inputResponses": {key: result}})

        return _input_request(key, request, respond)

    def send_request(
        self, method: str, params: Any = None, *, id: Any = None, meta: Any = None, **headers: Any
    ) -> Reply:
        """Send a request with its envelope and headers, and return the parsed HTTP response."""
        message = self.build_request(method, params, id=id, meta=meta)
        return self.post(message, **routing_headers(message) | headers)

    def build_request(self, method: str, params: Any = None, *, id: Any = None, meta: Any = None) -> dict[str, Any]:
        """Return a request with its envelope; `meta` overrides fields of that."""
        fields = dict(params or {})
        usual = {VERSION: REVISION, CLIENT: {"name": "tests", "version": "1.0"}, CAPABILITIES: self.capabilities}
        overridden = usual | (fields.pop("_meta", None) or {}) | dict(meta or {})
        envelope = {name: value for name, value in overridden.items() if value is not LEFT_OUT}
        request_id = next(self.ids) if id is None else id
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**fields, "_meta": envelope}}

    def send_notification(self, method: str, params: Any = None, **headers: Any) -> Reply:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        about = {"mcp_protocol_version": REVISION, "mcp_method": method}
        return self.post(message if params is None else {**message, "params": params}, **about | headers)

    def result(self, method: str, **params: Any) -> Any:
        """Send a request and return its result, without `serverInfo`."""
        return without_server_info(self.send_request(method, params).response["result"])

    def error(self, method: str, **params: Any) -> Any:
        """Send a well-formed request that is rejected, and return the error."""
        reply = self.send_request(method, params)
        assert reply.status == 200
        return reply.response["error"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return the result."""
        return self.result("tools/call", name=tool, arguments=arguments)

    def start(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that becomes a task and return the task's id."""
        created = self.call(tool, **arguments)
        assert created["resultType"] == "task"
        return str(created["taskId"])

    def retry(self, input_required: Any, tool: str, arguments: Any = None, /, **responses: Any) -> Any:
        """Repeat a call after an `input_required` result, with its request state and these responses."""
        state = {"requestState": input_required["requestState"], "inputResponses": responses}
        return self.result("tools/call", name=tool, arguments=arguments or {}, **state)

    def tasks_get(self, task_id: str) -> Any:
        """Return the result of `tasks/get`."""
        return self.result("tasks/get", taskId=task_id)

    def list_all(self, method: str) -> list[Any]:
        """Return the entries of all pages of a list."""
        pages = [self.result(method)]
        while "nextCursor" in pages[-1]:
            pages.append(self.result(method, cursor=pages[-1]["nextCursor"]))
        (name,) = (name for name, value in pages[0].items() if isinstance(value, list))
        return [entry for page in pages for entry in page[name]]

    def post(self, message: Any, **headers: Any) -> Reply:
        """POST a message, or bytes as they are, without the headers of this revision."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        return self.send("POST", body, **usual | headers)

    def send(self, http: str, body: bytes = b"", **headers: Any) -> Reply:
        """Send any HTTP request."""
        sent = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        return read(self.transport(HttpRequest(method=http, headers=sent, body=body)))


def _input_request(key: str, request: Mapping[str, Any], respond: Callable[[JSON], None]) -> InputRequest:
    return InputRequest(
        id=key, method=request["method"], params=request.get("params", {}), respond=respond, fail=_no_error_responses
    )


def _no_error_responses(code: int, message: str) -> None:
    raise NotSupported(f"{REVISION} has no error responses to input requests: decline, or cancel")


def without_server_info(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without `serverInfo`, which every result has."""
    meta = {name: value for name, value in result["_meta"].items() if name != SERVER}
    rest = {name: value for name, value in result.items() if name != "_meta"}
    return {**rest, "_meta": meta} if meta else rest


def routing_headers(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the HTTP headers that repeat fields of a request."""
    params, method = message["params"], message["method"]
    name = params.get(NAMED_BY.get(method, ""))
    named = {"mcp_name": as_header(name)} if isinstance(name, str) else {}
    return {"mcp_protocol_version": params["_meta"].get(VERSION), "mcp_method": method, **named}


def as_header(text: str) -> str:
    """Return a text as a header's value, in the base64 form of the specification if need be."""
    if PLAIN.fullmatch(text) and not SENTINEL.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
