"""What clients of both revisions have in common: requests whose answers may be lost, and are checked."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, ClassVar, NamedTuple

from mcp_tasks.security.tenancy import Caller
from tests.contract.process import Crash
from tests.simulation.actors import Actor
from tests.simulation.deployed.questions import ESCALATING
from tests.simulation.faults import UNNOTICED
from tests.simulation.laws.limits import Limits, is_refused
from tests.simulation.laws.people import described
from tests.simulation.laws.shown import Ledger, Seen
from tests.simulation.process import GATEWAY_TIMEOUT, CallRecord
from tests.simulation.uses import ESCALATES, SLEEPS, TELLS, WORKS
from tests.simulation.world import World

INVALID_PARAMS = -32602
INTERNAL_ERROR = "Internal error"
MISSING = re.compile("There is no task '([^']+)'")
KEY_TAKEN = "The idempotency key was used before"
KEY = "io.github.mcp-task-server/idempotency-key"
LOST = ("gateway hangs up", "response lost")
LOSS = 0.03
"""How likely the network loses an answer."""

RECENT, OF_OLD = 3, 0.2
"""Clients care for so many of their tasks, and now and then for one of before."""

STARTED = ("order", "order", "publish", "report", "reserve", "ship", "ship")
ASKING, FEWER = ("refund",) * 14, ("refund",) * 4
"""Where others are asked, these as well; fewer beside those that escalate."""
ODD = ("survey", "quote", "quote") * 2
"""Where there are odd tools, these."""

USING: Mapping[str, Sequence[str]] = {
    SLEEPS: ("patrol",) * 8,
    TELLS: ("consult",) * 8,
    WORKS: ("ship",) * 20,
    ESCALATES: tuple(f"ask_{each}" for each in ESCALATING) * 4,
}
"""Those that use what tools use in some stories only."""

CALLED = ("publish", "report", "confirm", "reserve")
"""The tools that are called as tasks, and without."""
CALLING: Mapping[str, Sequence[str]] = {TELLS: USING[TELLS]}
"""Those of them that use what tools use in some stories only."""


class Received(NamedTuple):
    """The answer to an HTTP request: the event ids and messages that it brought, and what was known before it.

    Where the process `failed` that answered, it may not have done all that it was asked; it `began` at a moment,
    and `waited` is that at which it last went on after waiting, if it did: in all it `paused` for so long.
    """

    status: int
    headers: Mapping[str, str]
    events: list[tuple[str | None, Any]]
    floor: Mapping[str, Seen]
    failed: bool
    began: int
    waited: int
    paused: timedelta

    @property
    def messages(self) -> list[Any]:
        return [message for _, message in self.events if message is not None]

    def answer(self, request_id: Any) -> Any:
        """Return the message that answers a request, if there is one."""
        found = [each for each in self.messages if "method" not in each and each.get("id") == request_id]
        return found[0] if found else None


@dataclass(kw_only=True)
class Client(Actor):
    """A client of one caller; its `kind` is the revision that it speaks."""

    lasts: ClassVar[bool] = False
    breaks_off: ClassVar[frozenset[str]] = frozenset({"cancels", "gives up a call"})
    reuses_names: ClassVar[bool] = False
    world: World
    ledger: Ledger
    caller: Caller
    owner: str
    ids: "count[int]" = field(default_factory=count)
    owner_key: str = field(init=False)
    limits: Limits = field(init=False)

    def __post_init__(self) -> None:
        self.owner_key = self.caller.owner_key
        self.limits = Limits(self.world)

    @property
    def name(self) -> str:
        return f"{self.owner}/{self.kind}"

    def exchange(
        self,
        http: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        call: CallRecord | None = None,
        sent: Callable[[Received], object] = lambda received: None,
    ) -> Received | None:
        """Send a request; returns None where no answer comes, but `sent` takes an answer that is lost, too.

        `call` is the record of the call that the request makes or goes on with.
        """
        floor, began = self.ledger.floor(self.owner_key), self.world.clock.now()
        mark = self.limits.mark()
        try:
            with self.world.process(call) as process:
                caller = described(self.caller, roles=not self.world.has_a_release_before)
                status, replied, text = process.does.answer(http, headers, body, caller)
        except Crash:
            self.world.trace.say("  no answer")
            return None
        self.world.trace.receive(text)
        streamed = replied.get("content-type") == "text/event-stream"
        events = read(text, streamed=streamed)
        began_at, waited, paused = process.began_moment, process.waited, process.paused
        received = Received(status, replied, events, floor, process.failed, began_at, waited, paused)
        if process.paused:
            self.limits.waited(self.owner_key, mark)
        sent(received)
        for message in received.messages:
            self.limits.answered(self.owner_key, mark, message, has_key=KEY.encode() in body)
            struck = any(fault not in UNNOTICED for fault in process.struck)
            self._check(message, named=f"{body!r} {headers}", struck=struck)
        lost = self._lost(self.world.clock.now() - began)
        if lost is not None:
            self.world.trace.count(f"fault: {lost}")
            self.world.trace.say(f"  {lost}")
            return None
        return received

    def _lost(self, took: timedelta) -> str | None:
        """Return why an answer does not reach the client, if it does not."""
        if took > GATEWAY_TIMEOUT:
            return LOST[0]
        return LOST[1] if self.world.rate and self.world.random.random() < LOSS else None

    def _check(self, message: Any, *, named: str, struck: bool) -> None:
        """Demand that nothing of another owner is disclosed, and that the server fails only where it has to.

        A rejection repeats the id that the request `named`.
        """
        error = message.get("error", {}).get("message", "")
        self.world.demand(struck or not error.startswith(INTERNAL_ERROR), "an internal error without a fault")
        # Few use a key of their own for two calls.
        taken = error.startswith(KEY_TAKEN) and not self.reuses_names
        self.world.demand(not taken, f"{self.name} is refused for the key of somebody else")
        text, is_rejected = json.dumps(message), error or message.get("result", {}).get("isError")
        self._check_missing(text)
        for other in self.ledger.tasks_of(self.owner_key, others=True):
            disclosed = other in text and not (is_rejected and other in named)
            self.world.demand(not disclosed, f"{self.name} sees {self.world.trace.name(other)}")
        for word in ("ada", "bob", "eve"):
            mine = word == self.owner or f"owner-{word}" not in text
            self.world.demand(mine, f"{self.name} sees what is {word}'s")

    def _check_missing(self, text: str) -> None:
        """Demand that no task is said to be missing that is there: a call also names the one that it started."""
        for task_id in MISSING.findall(text):
            tasks = [task for owner_key, task in self.world.store.tasks() if owner_key == self.owner_key]
            there = any(task.id == task_id and self.world.store.lives(task) for task in tasks)
            self.world.demand(not there, f"{self.world.trace.name(task_id)} is there, and is said to be missing")

    def post(self, method: str, params: Mapping[str, Any]) -> tuple[Any, Received | None]:
        """Send a request of JSON-RPC; returns its id as well."""
        raise NotImplementedError

    # --- what is drawn

    def arguments(self) -> dict[str, Any]:
        """Return arguments that name their owner."""
        return {"owner": f"owner-{self.owner}{self.world.padding}"}

    def meta(self, tool: str) -> dict[str, str]:
        """Return nothing, or an idempotency key of the tool's, which may be one of before."""
        key = self.world.random.choice(["", "key-1", "key-2"])
        return {KEY: f"{tool} {key}"} if key else {}

    @property
    def started(self) -> Sequence[str]:
        """The tools that are called as tasks."""
        asking = FEWER if ESCALATES in self.world.uses else ASKING
        more = self._using(USING)
        return (*STARTED, *(asking if self.world.others else ()), *(ODD if self.world.odd else ()), *more)

    @property
    def called(self) -> Sequence[str]:
        """The tools that are called without a task."""
        return (*CALLED, *self._using(CALLING))

    def _using(self, tools: Mapping[str, Sequence[str]]) -> list[str]:
        return [each for use in tools if use in self.world.uses for each in tools[use]]

    def task(self, *, others: bool = False) -> str | None:
        """Return a task of the owner's, or of somebody else's."""
        found = self.ledger.tasks_of(self.owner_key, others=others)
        recent = found if self.world.random.random() < OF_OLD else found[-RECENT:]
        return self.world.pick(recent, str) if found else None

    def response(self, method: str) -> dict[str, Any]:
        """Return an answer to an input request that nobody gave before."""
        number = self.world.random.randrange(10**6)
        if method == "roots/list":
            return {"roots": [{"uri": f"file:///{number}"}]}
        padding = self.world.random.choice(["", self.world.padding]) if self.world.padding else ""
        return {"action": "accept", "content": {"name": f"name-{number}{padding}"}}

    # --- what is checked

    def take_task(self, floor: Mapping[str, Seen], task: Mapping[str, Any], key: str | None = None) -> None:
        """Take a task as it was shown."""
        self.world.trace.say(f"  {self.world.trace.name(task['taskId'])} {task['status']}")
        self.ledger.accept(self.owner_key, task["taskId"])
        self.ledger.show(floor, self.caller, self.kind, task)
        if key is not None:
            self.ledger.keep(self.owner_key, key, task["taskId"])

    def take_missing(self, task_id: str, message: Any) -> None:
        """Take the response to a request about one's own task, which may be missing only once it has expired."""
        error = message.get("error", {})
        missing = "There is no task" in error.get("message", "")
        if missing:
            self.world.demand(error["code"] == INVALID_PARAMS, f"what is missing has the code {error['code']}")
            self.world.trace.say(f"  {self.world.trace.name(task_id)} is gone")
        self.world.demand(not (missing and self.ledger.lives(task_id)), f"{self.world.trace.name(task_id)} is lost")

    def take_task_handle(self, result: Mapping[str, Any], key: str | None = None) -> None:
        """Take the task handle that a call without a task returned."""
        content = result.get("structuredContent", {})
        if "task_id" in content:
            self.world.trace.say(f"  task handle {self.world.trace.name(content['task_id'])}")
            self.ledger.accept(self.owner_key, content["task_id"])
            if key is not None:
                self.ledger.keep(self.owner_key, key, content["task_id"])

    def peek(self, method: str, **more: Any) -> None:
        """Ask for a task of somebody else's: it looks exactly like no task."""
        other = self.task(others=True)
        if other is None:
            return
        unknown = other[::-1]
        said = []
        for task_id in (other, unknown):
            request_id, received = self.post(method, {"taskId": task_id, **more})
            message = received and received.answer(request_id)
            error = message.get("error", {}) if message else {}
            if not message or is_refused(message) or error.get("message", "").startswith(INTERNAL_ERROR):
                return
            said.append(json.dumps(message).replace(task_id, "?").replace(f'"id": {request_id}', ""))
        self.world.demand(
            said[0] == said[1], f"{method} discloses to {self.name} that there is {self.world.trace.name(other)}"
        )


def read(body: str, *, streamed: bool) -> list[tuple[str | None, Any]]:
    """Return the id and the message of each event of a stream, or the only message."""
    if not streamed:
        return [(None, json.loads(body))] if body else []
    events: list[tuple[str | None, Any]] = []
    for block in body.split("\n\n")[:-1]:
        fields = {name: value for name, _, value in (line.partition(": ") for line in block.split("\n"))}
        events.append((fields.get("id"), json.loads(fields["data"]) if fields.get("data") else None))
    return events


def is_ours(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer is an error of the request, rather than of the task's work."""
    message: str = answer.get("error", {}).get("message", "")
    return is_refused(answer) or message.startswith(("Internal error", "There is no task", "The task was cancelled"))
