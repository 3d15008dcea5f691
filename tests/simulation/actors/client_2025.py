"""A client of revision 2025-11-25: it has a session, asks for tasks, follows streams and answers what they carry."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mcp_tasks.tasks.model import State
from tests.simulation.actors import Moves, Weights
from tests.simulation.actors.client import KEY, RECENT, Client, Received, is_ours
from tests.simulation.chances import SESSION_ENDS
from tests.simulation.laws.carried import asked
from tests.simulation.laws.handles import called, check_handle
from tests.simulation.laws.promises import check_accepted, check_created, check_ended
from tests.simulation.laws.streams import OpenStream, Streams
from tests.simulation.laws.versions_shown import check_plain

NAME = "2025-11-25"
CAPABILITIES: Mapping[str, Any] = {"elicitation": {"form": {}}, "roots": {}}
TASKS: Mapping[str, Any] = {"tasks": {"list": {}, "cancel": {}}}
NO_STREAM, NO_SESSION, REFUSED = 405, 404, (403, 429)


@dataclass(kw_only=True)
class Client2025(Client):
    """The client.

    `input_requests` are the input requests that it received, by their ids; `waits` are the requests that it may give
    up, among them some whose response was lost, and some that were answered.
    """

    kind = NAME
    weights: ClassVar[Weights] = {
        "initializes": 10,
        "starts": 2,
        "calls": 2,
        "resumes": 8,
        "answers": 7,
        "answers badly": 1,
        "gets": 4,
        "wants the result": 3,
        "lists": 1,
        "cancels": 1,
        "gives up a call": 2,
        "opens a stream": 1,
        "ends its session": 1,
        "peeks": 1,
    }
    sent: Streams
    tidies_up: bool
    """Whether it cancels each request once it has the response, as some hosts do."""
    declares_tasks: bool
    """Whether it declares tasks, so that what it calls without one is waited for to the end."""
    session: str | None = None
    waits: list[OpenStream] = field(default_factory=list)
    streams: list[OpenStream] = field(default_factory=list)
    input_requests: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def moves(self) -> Moves:
        if self.session is None:
            return {"initializes": self.initialize}
        draw = self.world.random.choice
        moves: dict[str, Callable[[], object]] = {
            "starts": lambda: self.start(draw(self.started)),
            "calls": lambda: self.call(draw(self.called)),
            "opens a stream": self.listen,
            "lists": self.list_tasks,
            "peeks": lambda: self.peek(draw(["tasks/get", "tasks/result", "tasks/cancel"])),
        }
        if self.ledger.tasks_of(self.owner_key):
            moves |= {
                "gets": lambda: self.get(self.task()),
                "wants the result": lambda: self.result(self.task()),
                "cancels": lambda: self.cancel(self.task()),
            }
        if self.waits:
            moves["gives up a call"] = lambda: self.give_up(self.world.pick(self.waits, OpenStream.about))
        if self.streams:
            moves["resumes"] = lambda: self.resume(draw(self.streams))
            if self.world.random.random() < SESSION_ENDS:
                moves["ends its session"] = self.end_session
        if self.input_requests:
            moves |= {
                "answers": lambda: self.respond(draw(list(self.input_requests))),
                "answers badly": lambda: self.respond(draw(list(self.input_requests)), bad=True),
            }
        return moves

    # --- requests

    def initialize(self) -> None:
        """Begin a session."""
        info = {"name": "simulated", "version": "1"}
        able = TASKS if self.declares_tasks else {}
        params = {"protocolVersion": NAME, "capabilities": {**CAPABILITIES, **able}, "clientInfo": info}
        _, received = self.post("initialize", params)
        if received and "mcp-session-id" in received.headers:
            self.session = received.headers["mcp-session-id"]
            noted = self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            if not noted or noted.status != 202 or noted.failed:
                self._forget_session()

    def post(self, method: str, params: Mapping[str, Any]) -> tuple[Any, Received | None]:
        stream = OpenStream(request_id=next(self.ids), carries=False)
        return stream.request_id, self.request(stream, method, params)

    def request(self, stream: OpenStream, method: str, params: Mapping[str, Any]) -> Received | None:
        """POST a request that a stream answers."""
        return self.send({"jsonrpc": "2.0", "id": stream.request_id, "method": method, "params": params}, stream)

    def send(self, message: Mapping[str, Any], stream: OpenStream | None = None) -> Received | None:
        """POST a message."""
        kinds = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        return self._in_session("POST", kinds, stream or OpenStream(carries=False), json.dumps(message).encode())

    def start(self, tool: str) -> None:
        """Call a tool as a task, whose id is returned at once."""
        meta, token = self.meta(tool), f"token-{next(self.ids)}"
        ttl = {"ttl": 60_000 * self.world.random.choice([1, 15, 600])} if self.world.random.random() < 0.5 else {}
        params = {"name": tool, "arguments": self.arguments(), "task": ttl, "_meta": {"progressToken": token, **meta}}
        request_id, received = self.post("tools/call", params)
        message = received and received.answer(request_id)
        if received and message and "result" in message:
            self.take_task(received.floor, message["result"]["task"], meta.get(KEY))
            check_created(self.world, message["result"]["task"], None if meta else token, ttl)

    def call(self, tool: str) -> None:
        """Call a tool and wait for it on the stream."""
        token = f"token-{next(self.ids)}"
        params = {"name": tool, "arguments": self.arguments(), "_meta": {"progressToken": token}}
        patience = called(self.world, for_ever=self.declares_tasks)
        stream = OpenStream(request_id=next(self.ids), patience=patience, token=token)
        self._wait_for("tools/call", params, stream)

    def _wait_for(self, method: str, params: Mapping[str, Any], stream: OpenStream) -> None:
        """Make a request that may last, so that it may be given up before its response has come, and after."""
        self.waits = [*self.waits[-RECENT:], stream]
        self._take(self.request(stream, method, params), stream)

    def get(self, task_id: str | None) -> None:
        if task_id is not None:
            request_id, received = self.post("tasks/get", {"taskId": task_id})
            message = received and received.answer(request_id)
            if received and message:
                self.take_missing(task_id, message)
                if "result" in message:
                    self.take_task(received.floor, message["result"])

    def result(self, task_id: str | None) -> None:
        """Ask for the result of a task: it comes at once, or on the stream."""
        if task_id is not None:
            self.world.trace.say(f"  {self.world.trace.name(task_id)}")
            self._wait_for("tasks/result", {"taskId": task_id}, OpenStream(request_id=next(self.ids), task=task_id))

    def cancel(self, task_id: str | None) -> None:
        if task_id is not None:
            self.ledger.unwanted.add(task_id)
            request_id, received = self.post("tasks/cancel", {"taskId": task_id})
            message = received and received.answer(request_id)
            if received and message:
                self.take_missing(task_id, message)
                if "result" in message:
                    self.world.demand(message["result"]["status"] == "cancelled", "cancelled, and is not")
                    self.take_task(received.floor, message["result"])

    def list_tasks(self) -> None:
        """Page through all tasks."""
        before = [task_id for task_id in self.ledger.tasks_of(self.owner_key) if self.ledger.lives(task_id)]
        listed: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            request_id, received = self.post("tasks/list", cursor)
            message = received and received.answer(request_id)
            if not received or not message or "result" not in message:
                return
            for task in message["result"]["tasks"]:
                listed.append(task["taskId"])
                self.take_task(received.floor, task)
            if "nextCursor" not in message["result"]:
                break
            cursor = {"cursor": message["result"]["nextCursor"]}
        self.ledger.check_listed(listed, before)

    def listen(self) -> None:
        """Open a stream for whatever the server asks."""
        stream = OpenStream()
        self._take(self._in_session("GET", {"accept": "text/event-stream"}, stream), stream)

    def resume(self, stream: OpenStream) -> None:
        """Go on with a stream."""
        received = self._in_session("GET", {"accept": "text/event-stream", "last-event-id": stream.place}, stream)
        self.world.demand(not received or received.status not in REFUSED, "a resumed stream is refused")
        if received and received.status == NO_STREAM:
            over = stream.has_answer or stream.given_up or stream.is_old(self.world.clock.now() + self.world.skew)
            self.world.demand(over, "a stream ended without an answer")
            self._forget(stream)
        else:
            self._take(received, stream)

    def give_up(self, stream: OpenStream) -> None:
        """Wait for an answer no longer, or say so of one that has come."""
        answered = stream.answered
        stream.given_up = True
        if not stream.has_answer or stream.call.failed:
            self.sent.left.append(stream)
        params = {"requestId": stream.request_id}
        received = self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        if received and received.status == 202 and not received.failed:
            stream.let_go = True
            if not answered:
                self.sent.given_up.append((stream, self.world.store.moment()))

    def respond(self, request_id: str, *, bad: bool = False) -> None:
        """Answer an input request, perhaps not for the first time."""
        request = self.input_requests[request_id]
        result = {"action": "accept", "content": {"name": 7}} if bad else self.response(request["method"])
        self.sent.answered_badly[asked(request_id)] += bad
        received = self.send({"jsonrpc": "2.0", "id": request_id, "result": result})
        if not received or received.status != 202:
            return
        if not bad and not received.failed:
            check_accepted(self.world, self.owner_key, request_id)
        if self.world.random.random() < 0.8:
            self.input_requests.pop(request_id, None)

    def end_session(self) -> None:
        session, received = self.session, self._in_session("DELETE", {}, OpenStream(carries=False))
        if received:
            check_ended(self.world, self.owner_key, str(session), received)
            self._forget_session()

    # --- answers

    def _in_session(
        self, http: str, headers: Mapping[str, str], stream: OpenStream, body: bytes = b""
    ) -> Received | None:
        session, resumed = self.session, headers.get("last-event-id")
        named = {} if session is None else {"mcp-session-id": session, "mcp-protocol-version": NAME}
        self.sent.over_time.begin(session or self.name, stream, silent=self.world.is_silent(self.owner_key, session))
        received = self.exchange(
            http,
            {**headers, **named},
            body,
            call=stream.call,
            sent=lambda received: self.sent.send(session or self.name, stream, received, resumed),
        )
        self.sent.over_time.end(stream)
        if self.session != session:
            # Ended meanwhile, and what comes is of no use in another one.
            return None
        if received and received.status == NO_SESSION:
            self._forget_session()
            return None
        return received

    def _take(self, received: Received | None, stream: OpenStream) -> None:
        """Take what a stream carries: input requests, progress, what is new of tasks, and the answer."""
        if received is None:
            return
        for place, message in received.events:
            if place:
                stream.place = place
                stream.received.setdefault(place, self.world.clock.now())
            if message and "method" in message and "id" in message:
                self.world.trace.say(f"  received {message['method']}")
                self.input_requests[message["id"]] = message
            elif message and message.get("method") == "notifications/tasks/status":
                self.take_task(received.floor, message["params"])
        answer = None if stream.request_id is None else received.answer(stream.request_id)
        if answer is not None:
            stream.has_answer = True
            self._forget(stream)
            self._take_answer(stream, answer)
        elif stream.place and not stream.has_answer and all(each is not stream for each in self.streams):
            self.streams.append(stream)

    def _take_answer(self, stream: OpenStream, answer: Mapping[str, Any]) -> None:
        self.world.trace.say("  answered" if "result" in answer else f"  rejected:  {answer['error']['message']}")
        if self.tidies_up:
            self.give_up(stream)
        if stream.task is None:
            result, waited = answer.get("result", {}), stream.waited if len(stream.received) > 1 else 0
            self.take_task_handle(result)
            if stream.patience is not None and not is_ours(answer):
                check_plain(self.world, stream.call.tasks, answer)
                check_handle(self.world, self.owner_key, stream.patience, result, known=waited)
            return
        self.take_missing(stream.task, answer)
        task = self.world.store.find(stream.task)
        if task is not None and task.state is State.FINISHED and not is_ours(answer):
            self.ledger.end(stream.task, answer)

    def _forget(self, stream: OpenStream) -> None:
        self.streams = [each for each in self.streams if each is not stream]

    def _forget_session(self) -> None:
        self.session = None
        self.streams.clear()
        self.waits.clear()
        self.input_requests.clear()
