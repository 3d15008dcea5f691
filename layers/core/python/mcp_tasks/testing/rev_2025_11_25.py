"""A client of revision 2025-11-25: sessions, resumed streams, and requests that the server sends."""

import json
from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from typing import Any, Final

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.security.signing import decode
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing import client
from mcp_tasks.testing.client import (
    FINAL,
    InputRequest,
    NotATask,
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
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND

REVISION: Final = "2025-11-25"
RELATED_TASK: Final = "io.modelcontextprotocol/related-task"

TASKS: Final[Mapping[str, Any]] = {"tasks": {}}
"""The capability that a client with task support declares."""


class Client(client.Client):
    """A client of one caller, in a session that its first request or `initialize` initializes.

    Headers are keyword arguments; None leaves out a header that is otherwise sent.
    """

    def __init__(
        self,
        transport: Transport,
        capabilities: Mapping[str, Any] | None = None,
        *,
        version: str = REVISION,
        responder: Responder | None = None,
        sleep: Sleep = no_sleep,
        poll: Sleep | None = None,
    ) -> None:
        super().__init__(transport, capabilities or {}, responder=responder, sleep=sleep, poll=poll)
        self.version = version
        self.headers: dict[str, str] = {}
        self.ids = count()
        self.received: list[Any] = []
        """Every notification and every request that the server sent."""
        self._open: dict[str, Any] = {}
        self._responded: set[str] = set()

    def call_tool(self, name: str, arguments: Mapping[str, JSON] | None = None) -> ToolResult:
        """Call a tool and follow the stream if there is one, or its task if it always is one; raises `McpError`."""
        call = {"name": name, "arguments": arguments or {}}
        try:
            return ToolResult.of(self.request("tools/call", call, needs_responder=True))
        except McpError as error:
            if error.code != METHOD_NOT_FOUND or "tasks" not in self.capabilities:
                raise
        return self.start_task(name, arguments).wait()

    def start_task(self, name: str, arguments: Mapping[str, JSON] | None = None) -> Task:
        """Call a tool as a task; raises `NotATask`, and `McpError`."""
        try:
            created = self.request("tools/call", {"name": name, "arguments": arguments or {}, "task": {}})
        except McpError as error:
            if error.code == METHOD_NOT_FOUND:
                raise NotATask(error.message) from error
            raise
        return self.task(created["task"]["taskId"])

    def get_task(self, task_id: str) -> TaskState:
        """Return a task as it is now; raises `McpError`."""
        result = self.request("tasks/get", {"taskId": task_id})
        if result["status"] == "input_required":
            self._fetch_input_requests(task_id)
        interval = timedelta(milliseconds=result["pollInterval"])
        return TaskState(
            status=result["status"], message=result.get("statusMessage"), poll_interval=interval, result=result
        )

    def ended_task_result(self, task_id: str) -> ToolResult:
        """Return the result of a task that has ended and was not cancelled; raises `McpError`."""
        return ToolResult.of(self.request("tasks/result", {"taskId": task_id}))

    def cancel_task(self, task_id: str) -> None:
        """Cancel a task; raises `McpError`, but not the one for a task that has ended."""
        try:
            self.request("tasks/cancel", {"taskId": task_id})
        except McpError:
            if self.get_task(task_id).status not in FINAL:
                raise

    def input_requests(self, task_id: str) -> list[InputRequest]:
        """Return the task's requests, from all streams so far, that have no response yet."""
        if self.get_task(task_id).status != "input_required":
            return []
        messages = (message for message in self._open.values() if _task_of(message) == task_id)
        return [self._input_request(message) for message in messages]

    def request(self, method: str, params: Mapping[str, Any], *, needs_responder: bool = False) -> Any:
        """Send a request, in a new session if the old one is gone, and return its result; raises `McpError`.

        Where it `needs_responder`, raises `NoResult` for an input request that comes before its response.
        """
        if not self.headers:
            self.initialize()
        reply = self.send_request(method, params)
        if reply.status == 404:
            self.headers = {}
            self.initialize()
            reply = self.send_request(method, params)
        response, _ = self.follow(reply, needs_responder=needs_responder)
        return result_of(response)

    def initialize(self, capabilities: Mapping[str, Any] | None = None) -> Any:
        """Initialize a session, and return the result of `initialize`."""
        self.capabilities = self.capabilities if capabilities is None else capabilities
        info = {"name": "tests", "version": "1.0"}
        params = {"protocolVersion": self.version, "capabilities": self.capabilities, "clientInfo": info}
        reply = self.send_request("initialize", params)
        result = reply.message["result"]
        self.headers = {
            "mcp-session-id": reply.headers["mcp-session-id"],
            "mcp-protocol-version": result["protocolVersion"],
        }
        assert self.send_notification("notifications/initialized").status == 202
        return result

    def send_request(self, method: str, params: Any = None, *, id: Any = None, **headers: str | None) -> Reply:
        """Send a request and return the parsed HTTP response."""
        message = {"jsonrpc": "2.0", "id": next(self.ids) if id is None else id, "method": method}
        return self.post(message if params is None else {**message, "params": params}, **headers)

    def send_notification(self, method: str, params: Any = None) -> Reply:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        return self.post(message if params is None else {**message, "params": params})

    def result(self, method: str, **params: Any) -> Any:
        """Send a request that needs no further connection, and return its result."""
        return self.send_request(method, params).response["result"]

    def error(self, method: str, **params: Any) -> Any:
        """Send a well-formed request that is rejected, and return the error."""
        reply = self.send_request(method, params)
        assert reply.status == 200
        return reply.response["error"]

    def call(self, tool: str, _meta: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """Call a tool, follow the stream if there is one, and return the result."""
        more = {"_meta": _meta} if _meta else {}
        response, _ = self.follow(self.send_request("tools/call", {"name": tool, "arguments": arguments, **more}))
        return response["result"]

    def start(self, tool: str, /, _meta: Mapping[str, Any] | None = None, **arguments: Any) -> str:
        """Call a tool as a task and return the task's id."""
        more = {"_meta": _meta} if _meta else {}
        return str(self.result("tools/call", name=tool, arguments=arguments, task={}, **more)["task"]["taskId"])

    def outcome(self, task_id: str, *, id: Any = None) -> tuple[Any, list[Reply]]:
        """Call `tasks/result` and follow the stream; returns the JSON-RPC response and all HTTP responses."""
        return self.follow(self.send_request("tasks/result", {"taskId": task_id}, id=id))

    def follow(self, reply: Reply, *, needs_responder: bool = False) -> tuple[Any, list[Reply]]:
        """Resume a stream until the JSON-RPC response comes; returns that and all HTTP responses."""
        replies = [reply]
        self._respond(reply, needs_responder)
        while not (responses := [each for each in replies[-1].messages if "method" not in each]):
            self.sleep(replies[-1].retry)
            replies.append(self.resume(replies[-1].last_event_id))
            self._respond(replies[-1], needs_responder)
            assert len(replies) < 1000, "this never ends"
        return responses[0], replies

    def respond(self, input_request: Any, result: Any = None, *, error: Any = None) -> Reply:
        """Respond to a request of the server, with a result or an error."""
        self._open.pop(input_request["id"], None)
        content = {"result": result} if error is None else {"error": error}
        return self.post({"jsonrpc": "2.0", "id": input_request["id"], **content})

    def resume(self, place: str | None, **headers: str | None) -> Reply:
        """Resume a stream after an event id; without one, open a stream to listen on."""
        return self.send("GET", b"", **{"accept": "text/event-stream", "last-event-id": place} | headers)

    def post(self, message: Any, **headers: str | None) -> Reply:
        """POST a message, or bytes as they are."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        return self.send("POST", body, **usual | headers)

    def send(self, http: str, body: bytes = b"", **headers: str | None) -> Reply:
        """Send any HTTP request, with the headers of the session."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in (self.headers | named).items() if value is not None}
        reply = read(self.transport(HttpRequest(method=http, headers=sent, body=body)))
        self.received += [message for message in reply.messages if "method" in message]
        self._open |= {input_request["id"]: input_request for input_request in reply.input_requests}
        return reply

    def _respond(self, reply: Reply, needs_responder: bool) -> None:
        for message in reply.input_requests:
            if (subject := _subject_of(message)) in self._responded:
                self._responded.remove(subject)
                raise _rejection(message)
            if needs_responder or self.responder is not None:
                self.respond_to(self._input_request(message))

    def _fetch_input_requests(self, task_id: str) -> None:
        """Take the input requests that a new stream of `tasks/result` begins with, and leave that."""
        self._respond(self.send_request("tasks/result", {"taskId": task_id}), needs_responder=False)

    def _input_request(self, message: Mapping[str, Any]) -> InputRequest:
        subject = _subject_of(message)

        def respond(result: JSON) -> None:
            # After a rejected response, only one to the request as it was sent again is looked at.
            self.respond(next((each for each in self._open.values() if _subject_of(each) == subject), message), result)
            self._responded.add(subject)
            if (task_id := _task_of(message)) is not None:
                # A server that rejected the response sends the request again.
                self._fetch_input_requests(task_id)

        def fail(code: int, text: str) -> None:
            self.respond(message, error={"code": code, "message": text})

        return InputRequest(
            id=message["id"], method=message["method"], params=message.get("params", {}), respond=respond, fail=fail
        )


def _task_of(message: Mapping[str, Any]) -> Any:
    return message.get("params", {}).get("_meta", {}).get(RELATED_TASK, {}).get("taskId")


def _subject_of(message: Mapping[str, Any]) -> str:
    """Return what stays the same in the ids of an input request that is sent again: its session, task and key."""
    payload = str(message["id"]).partition(".")[0]
    try:
        _, _, value = json.loads(decode(payload))
        # A request with a step is about a task that the client runs: another one follows a response that was accepted.
        return payload if "step" in value else str(value["way"])
    except (ValueError, TypeError, KeyError):
        return payload


def _rejection(message: Mapping[str, Any]) -> McpError:
    """Return the error for a response after which the server sent the request again, with what was wrong with it."""
    reason = message.get("params", {}).get("message", "The response did not fit.").rpartition("\n\n")[2]
    return McpError(INVALID_PARAMS, f"Invalid params: {reason}")
