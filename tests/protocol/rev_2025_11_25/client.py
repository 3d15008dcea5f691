"""A small client of revision 2025-11-25 that believes nothing: what it receives is checked before a test sees it."""

import json
import re
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import count
from typing import Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.replies import Reply, key_of, read
from tests.protocol.rev_2025_11_25.official import check, may_be_asked
from tests.protocol.world import World

NEWEST = "2025-11-25"
VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class Speaker:
    """What a client can say.  Headers are given as keywords; None leaves out one that is sent otherwise."""

    def __init__(self, event_ids: set[str], version: str = NEWEST) -> None:
        self.event_ids = event_ids
        self.version = version
        self.headers: dict[str, str] = {}
        self.ids = count()
        self.capabilities: Mapping[str, Any] = {}
        self._asked: dict[str, tuple[str, bool]] = {}
        self._asked_of_it: dict[str, Any] = {}

    def shake_hands(self, capabilities: Mapping[str, Any] | None = None) -> Any:
        """Do all of the handshake; returns what `initialize` was answered."""
        info = {"name": "tests", "version": "1.0"}
        self.capabilities = capabilities or {}
        params = {"protocolVersion": self.version, "capabilities": self.capabilities, "clientInfo": info}
        reply = self.ask("initialize", params)
        result = reply.message["result"]
        self.headers = {
            "mcp-session-id": reply.headers["mcp-session-id"],
            "mcp-protocol-version": result["protocolVersion"],
        }
        assert self.tell("notifications/initialized").status == 202
        return result

    def ask(self, method: str, params: Any = None, *, id: Any = None, **headers: str | None) -> Reply:
        """Send a request and return the whole reply."""
        message = {"jsonrpc": "2.0", "id": next(self.ids) if id is None else id, "method": method}
        return self.post(message if params is None else {**message, "params": params}, **headers)

    def tell(self, method: str, params: Any = None) -> Reply:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        return self.post(message if params is None else {**message, "params": params})

    def result(self, method: str, **params: Any) -> Any:
        """Send a request and return its result."""
        return self.ask(method, params).answer["result"]

    def refused(self, method: str, **params: Any) -> Any:
        """Send a request that is well-formed but refused, and return the error."""
        reply = self.ask(method, params)
        assert reply.status == 200
        return reply.answer["error"]

    def call(self, tool: str, _meta: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """Call a tool, follow the stream if there is one, and return the result."""
        more = {"_meta": _meta} if _meta else {}
        answer, _ = self.follow(self.ask("tools/call", {"name": tool, "arguments": arguments, **more}))
        return answer["result"]

    def start(self, tool: str = "ponder", /, _meta: Mapping[str, Any] | None = None, **arguments: Any) -> str:
        """Call a tool as a task and return the task's id."""
        more = {"_meta": _meta} if _meta else {}
        given = arguments or ({"question": "why?"} if tool == "ponder" else {})
        task_id = self.result("tools/call", name=tool, arguments=given, task={}, **more)["task"]["taskId"]
        assert isinstance(task_id, str)
        return task_id

    def outcome(self, task_id: str, *, id: Any = None) -> tuple[Any, list[Reply]]:
        """Ask for the result of a task and follow the stream to its end; returns the answer and all replies."""
        return self.follow(self.ask("tasks/result", {"taskId": task_id}, id=id))

    def follow(self, reply: Reply) -> tuple[Any, list[Reply]]:
        """Go on with a stream until it brings the answer; returns that and all replies."""
        replies = [reply]
        while not (answers := [each for each in replies[-1].messages if "method" not in each]):
            replies.append(self.resume(replies[-1].place))
            assert len(replies) < 1000, "this never ends"
        return answers[0], replies

    def answer(self, question: Any, result: Any = None, *, error: Any = None) -> Reply:
        """Answer a request of the server's."""
        content = {"result": result} if error is None else {"error": error}
        return self.post({"jsonrpc": "2.0", "id": question["id"], **content})

    def resume(self, place: str | None, **headers: str | None) -> Reply:
        """Go on with a stream, or open one to listen on."""
        return self.send("GET", b"", **{"accept": "text/event-stream", "last-event-id": place} | headers)

    def forget(self) -> None:
        """Forget what was asked so far, since somebody else will use the same ids."""
        self._asked.clear()

    def post(self, message: Any, **headers: str | None) -> Reply:
        """POST a message, or bytes that pretend to be one."""
        if isinstance(message, dict) and "method" in message and "id" in message:
            params = message.get("params")
            as_task = isinstance(params, dict) and params.get("task") is not None
            self._asked[key_of(message["id"])] = (message["method"], as_task)
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        return self.send("POST", body, **usual | headers)

    def send(self, http: str, body: bytes = b"", **headers: str | None) -> Reply:
        """Send any request at all."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in (self.headers | named).items() if value is not None}
        reply = read(self.exchange(HttpRequest(method=http, headers=given, body=body)))
        self._check(reply)
        self._check_questions(reply, resumed="last-event-id" in given)
        return reply

    def exchange(self, request: HttpRequest) -> HttpReply:
        """Bring a request to the server."""
        raise NotImplementedError

    def _check(self, reply: Reply) -> None:
        for message in reply.messages:
            method, as_task = self._asked.get(key_of(message.get("id")), (None, False))
            check(message, method, as_task=as_task and "task" in message.get("result", ()))
        if "mcp-session-id" in reply.headers:
            assert "protocolVersion" in reply.message["result"], "only the answer to `initialize` names the session"
            assert VISIBLE_ASCII.fullmatch(reply.headers["mcp-session-id"])
        for event in reply.events:
            assert event.id not in self.event_ids, "an event id came twice"
            if event.id is not None:
                self.event_ids.add(event.id)

    def _check_questions(self, reply: Reply, *, resumed: bool) -> None:
        for question in reply.questions:
            known = self._asked_of_it.setdefault(question["id"], question)
            assert known is question or (resumed and known == question), "only a resumed stream repeats a question"
            assert self.headers["mcp-protocol-version"] == NEWEST
            assert may_be_asked(question["method"], question["params"], self.capabilities)


class Client(Speaker):
    """The client of one caller, in one process with the server."""

    def __init__(self, world: World, caller: Caller = ADA, version: str = NEWEST) -> None:
        super().__init__(world.event_ids, version)
        self.world = world
        self.caller = caller

    def exchange(self, request: HttpRequest) -> HttpReply:
        return handle(self.world.server, request, self.caller)

    def ask(self, method: str, params: Any = None, *, id: Any = None, **headers: str | None) -> Reply:
        # Who waits for a tool waits for somebody to do the work.
        waits = method == "tools/call" and isinstance(params, dict) and params.get("task") is None
        with self.world.at_work() if waits else nullcontext():
            return super().ask(method, params, id=id, **headers)

    def post(self, message: Any, **headers: str | None) -> Reply:
        # What is answered lets the work go on.
        answers = isinstance(message, dict) and "method" not in message
        with self.world.at_work() if answers else nullcontext():
            return super().post(message, **headers)
