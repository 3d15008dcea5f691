"""A small client of revision 2026-07-28 that believes nothing: what it receives is checked before a test sees it."""

import base64
import json
import re
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import count
from typing import Any, Final

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.replies import Reply, key_of, read
from tests.protocol.rev_2026_07_28.official import Asked, check
from tests.protocol.world import World

NAME: Final = "2026-07-28"
TASKS: Final = "io.modelcontextprotocol/tasks"

VERSION: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT: Final = "io.modelcontextprotocol/clientInfo"
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
SERVER: Final = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"

KNOWS_TASKS: Final[Mapping[str, Any]] = {"extensions": {TASKS: {}}}
ANSWERS: Final[Mapping[str, Any]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
ABLE: Final[Mapping[str, Any]] = {**ANSWERS, **KNOWS_TASKS}
"""All that a client can declare."""


class _LeftOut:
    def __repr__(self) -> str:
        return "left out"


LEFT_OUT: Final[Any] = _LeftOut()
"""Instead of a member of the envelope."""

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


class Speaker:
    """What a client can say; each request says all there is to know of it.

    Headers are given as keywords; None leaves out one that is sent otherwise.
    """

    def __init__(self, capabilities: Mapping[str, Any] = ABLE) -> None:
        self.capabilities = capabilities
        self.ids = count()
        self._asked: dict[str, Asked] = {}

    def ask(self, method: str, params: Any = None, *, id: Any = None, meta: Any = None, **headers: Any) -> Reply:
        """Send a request, in its envelope and with its headers, and return the whole reply."""
        message = self.enveloped(method, params, id=id, meta=meta)
        return self.post(message, **routing(message) | headers)

    def enveloped(self, method: str, params: Any = None, *, id: Any = None, meta: Any = None) -> dict[str, Any]:
        """Return a request in its envelope, of which `meta` may change members."""
        given = dict(params or {})
        usual = {VERSION: NAME, CLIENT: {"name": "tests", "version": "1.0"}, CAPABILITIES: self.capabilities}
        said = usual | (given.pop("_meta", None) or {}) | dict(meta or {})
        envelope = {name: value for name, value in said.items() if value is not LEFT_OUT}
        request_id = next(self.ids) if id is None else id
        return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**given, "_meta": envelope}}

    def tell(self, method: str, params: Any = None, **headers: Any) -> Reply:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        about = {"mcp_protocol_version": NAME, "mcp_method": method}
        return self.post(message if params is None else {**message, "params": params}, **about | headers)

    def result(self, method: str, **params: Any) -> Any:
        """Send a request and return its result, without the server's name."""
        return bare(self.ask(method, params).answer["result"])

    def refused(self, method: str, **params: Any) -> Any:
        """Send a request that its method refuses, and return the error."""
        reply = self.ask(method, params)
        assert reply.status == 200
        return reply.answer["error"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return the result."""
        return self.result("tools/call", name=tool, arguments=arguments)

    def start(self, tool: str = "ponder", /, **arguments: Any) -> str:
        """Call a tool that becomes a task and return the task's id."""
        created = self.call(tool, **arguments or ({"question": "why?"} if tool == "ponder" else {}))
        assert created["resultType"] == "task"
        return str(created["taskId"])

    def again(self, asked: Any, tool: str, arguments: Any = None, /, **answers: Any) -> Any:
        """Call a tool as before, with the state that the question came with and some answers, and return the result."""
        state = {"requestState": asked["requestState"], "inputResponses": answers}
        return self.result("tools/call", name=tool, arguments=arguments or {}, **state)

    def look(self, task_id: str) -> Any:
        """Return a task as it is now."""
        return self.result("tasks/get", taskId=task_id)

    def listed(self, method: str) -> list[Any]:
        """Return all that is on all pages of a list."""
        pages = [self.result(method)]
        while "nextCursor" in pages[-1]:
            pages.append(self.result(method, cursor=pages[-1]["nextCursor"]))
        (name,) = (name for name, value in pages[0].items() if isinstance(value, list))
        return [entry for page in pages for entry in page[name]]

    def post(self, message: Any, **headers: Any) -> Reply:
        """POST a message, or bytes that pretend to be one; nothing is added but what is said of any JSON."""
        if isinstance(message, dict) and "method" in message and "id" in message:
            self._asked[key_of(message["id"])] = Asked.by(message)
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        return self.send("POST", body, **usual | headers)

    def send(self, http: str, body: bytes = b"", **headers: Any) -> Reply:
        """Send any request at all."""
        given = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        reply = read(self.exchange(HttpRequest(method=http, headers=given, body=body)))
        self._check(reply)
        return reply

    def exchange(self, request: HttpRequest) -> HttpReply:
        """Bring a request to the server."""
        raise NotImplementedError

    def _check(self, reply: Reply) -> None:
        assert "mcp-session-id" not in reply.headers
        assert all(event.id is None and event.retry is None and event.data for event in reply.events)
        if reply.messages:
            check(reply, self._asked.get(key_of(reply.answer.get("id"))))


class Client(Speaker):
    """The client of one caller, in one process with the server."""

    def __init__(self, world: World, caller: Caller = ADA, capabilities: Mapping[str, Any] = ABLE) -> None:
        super().__init__(capabilities)
        self.world = world
        self.caller = caller

    def exchange(self, request: HttpRequest) -> HttpReply:
        return handle(self.world.server, request, self.caller)

    def ask(self, method: str, params: Any = None, *, id: Any = None, meta: Any = None, **headers: Any) -> Reply:
        # Who waits for a tool waits for somebody to do the work, and what is answered lets it go on.
        declared = (meta or {}).get(CAPABILITIES, self.capabilities)
        knows_tasks = isinstance(declared, dict) and "extensions" in declared
        waits = method == "tasks/update" or (method == "tools/call" and not knows_tasks)
        with self.world.at_work() if waits else nullcontext():
            return super().ask(method, params, id=id, meta=meta, **headers)


def bare(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without the server's name, which is in each."""
    meta = {name: value for name, value in result["_meta"].items() if name != SERVER}
    rest = {name: value for name, value in result.items() if name != "_meta"}
    return {**rest, "_meta": meta} if meta else rest


def routing(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the headers that repeat what a request says."""
    params, method = message["params"], message["method"]
    name = params.get(NAMED_BY.get(method, ""))
    named = {"mcp_name": as_header(name)} if isinstance(name, str) else {}
    return {"mcp_protocol_version": params["_meta"].get(VERSION), "mcp_method": method, **named}


def as_header(text: str) -> str:
    """Return a text as a header can hold it."""
    if PLAIN.fullmatch(text) and not SENTINEL.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
