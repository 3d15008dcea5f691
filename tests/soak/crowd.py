"""Clients of both revisions, of tenants that are modest, greedy and hostile; they go on in spite of faults."""

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from random import Random
from threading import Event, Lock, Thread
from typing import Any, Final
from uuid import uuid4

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.client import RESPONDS, Client, NoResult, ToolResult
from mcp_tasks.testing.harness import REVISIONS, package
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.refusals import UNAVAILABLE
from tests.soak.errands import ANSWER, ERRANDS, Errand

PEOPLE: Final = (("acme", "ada"), ("acme", "grace"), ("globex", "eve"), ("globex", "bob"), ("initech", "ivy"))
GREEDY: Final = ("hoarder", "greta")
"""One of its tenant's asks for many tasks at once, and waits for the last."""

HOSTILE: Final = ("mallory", "mallory")
AT_ONCE: Final = 6
CANCELLED: Final = 0.1
FORGOTTEN: Final = 0.1
"""The shares of tasks that are cancelled, and that their client leaves alone until the end."""

TOO_MANY_REQUESTS: Final = 429
SERVER_ERROR: Final = 500
UNSERVED: Final = (
    *('"message":"Internal error."', '"message":"Internal error: this took too long."'),
    f'"code":{UNAVAILABLE}',
)
"""Errors that tell a client to come again because a service of AWS failed; some come with the status 200."""

BETWEEN_POLLS: Final = 1.0
PATIENCE: Final = 900
"""Seconds in which a task has to end; attempts that die are repeated after pauses that grow."""


@dataclass(slots=True)
class Tally:
    """What the crowd has seen: `followed` are tasks that it saw to their end, and `wrong` is what should not be.

    A failure is to be expected beside a fault alone; whoever meets one asks again.
    """

    ended: Counter[str] = field(default_factory=Counter)
    replies: Counter[int] = field(default_factory=Counter)
    failures: list[tuple[datetime, datetime, int]] = field(default_factory=list)
    """When each request was sent that failed in the server or on the way, when that was known, and its status or 0."""
    wrong: list[str] = field(default_factory=list)
    forgotten: list[tuple[Client, str, Errand]] = field(default_factory=list)
    followed: list[str] = field(default_factory=list)
    started: deque[str] = field(default_factory=lambda: deque(maxlen=100))
    lock: Lock = field(default_factory=Lock)

    def count(self, what: str) -> None:
        """Count one more that has ended in that way."""
        with self.lock:
            self.ended[what] += 1


@dataclass(slots=True, kw_only=True)
class Patient:
    """Sends requests, again and again where the answer is lost, or that of a gateway whose function died."""

    client: HttpClient
    tally: Tally

    def send(self, request: HttpRequest) -> HttpReply:
        """Return the first reply that a server gave which was there, and could serve; raises `TimeoutError`.

        Each request begins a trace, and a task keeps the one that created it.
        """
        trace = {"traceparent": f"00-{uuid4().hex}-{'1' * 16}-01"}
        request = replace(request, headers={**request.headers, **trace})
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            sent = datetime.now(UTC)
            try:
                reply = self.client.send(request)
            except OSError:
                status, failed = 0, True
            else:
                status = reply.status
                failed = status >= SERVER_ERROR or any(each in reply.body for each in UNSERVED)
            with self.tally.lock:
                self.tally.replies[status] += 1
                if failed:
                    self.tally.failures.append((sent, datetime.now(UTC), status))
            if not failed and status != TOO_MANY_REQUESTS:
                return reply
            time.sleep(BETWEEN_POLLS)
        raise TimeoutError(f"no answer within {PATIENCE} s")


def client_of(stack: Stack, tenant: str, subject: str, revision: str, tally: Tally) -> Client:
    """Return a client of a revision, whose user answers whatever it is asked."""
    module = import_module(f"mcp_tasks.testing.{package(revision)}")
    sending = Patient(client=HttpClient(stack.url, stack.token(tenant, subject)), tally=tally)
    client: Client = module.Client(
        sending.send,
        capabilities={**RESPONDS, **module.TASKS},
        responder=lambda request: {"action": "accept", "content": {"text": ANSWER}},
        sleep=lambda duration: time.sleep(duration.total_seconds()),
        poll=lambda duration: time.sleep(BETWEEN_POLLS),
    )
    return client


def run_errand(client: Client, errand: Errand, random: Random, tally: Tally) -> None:
    """Start one task, and see it to its end, or cancel it, or leave it alone."""
    task = client.start_task(errand.tool, errand.arguments)
    tally.started.append(task.id)
    fate = random.random()
    if fate < FORGOTTEN:
        with tally.lock:
            tally.forgotten.append((client, task.id, errand))
        return
    if fate < FORGOTTEN + CANCELLED:
        time.sleep(random.random() * BETWEEN_POLLS)
        task.cancel()
    check(client, task.id, errand, tally, was_cancelled=fate < FORGOTTEN + CANCELLED)


def check(
    client: Client, task_id: str, errand: Errand, tally: Tally, *, was_cancelled: bool = False, alone: bool = False
) -> None:
    """Wait for a task, and count what it ended in; says in `wrong` what was not to be."""
    tally.followed.append(task_id)
    try:
        result = client.task(task_id).wait()
    except NoResult:
        tally.count("cancelled")
        if not was_cancelled:
            tally.wrong.append(f"{errand.label}: task {task_id} was cancelled by nobody")
        return
    except McpError as error:
        # In one revision, an error of the tool's own is that of the task.
        result = ToolResult(content=[{"type": "text", "text": error.message}], is_error=True)
    tally.count(errand.tool)
    begins = (errand.result, errand.alone) if alone and errand.alone else (errand.result,)
    if not result.text.startswith(begins) or result.is_error != errand.is_error:
        tally.wrong.append(f"{errand.label}: task {task_id} ended in {result.text[:200]!r}, is_error={result.is_error}")


@dataclass(slots=True, kw_only=True)
class Crowd:
    """The clients, each in a thread of its own, until they are told to come to an end."""

    stack: Stack
    seed: int
    tally: Tally = field(default_factory=Tally)
    _ends: Event = field(default_factory=Event)
    _leave: Event = field(default_factory=Event)
    _callers: list[Thread] = field(default_factory=list)

    def begin(self) -> None:
        """Have everybody begin."""
        for tenant, subject in (*PEOPLE, GREEDY):
            for revision in REVISIONS:
                name, at_once = f"{tenant}-{subject}-{revision}", AT_ONCE if (tenant, subject) == GREEDY else 1
                client = client_of(self.stack, tenant, subject, revision, self.tally)
                self._callers.append(self._thread(self._call, client, Random(f"{self.seed} {name}"), name, at_once))
        for revision in REVISIONS:
            intruder = client_of(self.stack, *HOSTILE, revision, self.tally)
            self._callers.append(self._thread(self._intrude, intruder, Random(f"{self.seed} {revision}")))
        for tenant in {tenant for tenant, _ in (*PEOPLE, GREEDY)}:
            self._thread(self._approve, client_of(self.stack, tenant, "approver", REVISIONS[0], self.tally))

    def end(self) -> None:
        """Have all callers finish what they are at, and see to its end what they left alone."""
        self._ends.set()
        for each in self._callers:
            each.join()
        for client, task_id, errand in self.tally.forgotten:
            check(client, task_id, errand, self.tally, alone=True)

    def leave(self) -> None:
        """Have those who approve come to an end, too."""
        self._leave.set()

    def _thread(self, work: Callable[..., None], *given: Any) -> Thread:
        def run() -> None:
            try:
                work(*given)
            except Exception as error:  # noqa: BLE001  # whatever ends a client early is to be told at the end
                self.tally.wrong.append(f"a client ended: {type(error).__name__}: {error}")

        thread = Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _call(self, client: Client, random: Random, name: str, at_once: int) -> None:
        number = 0
        while not self._ends.is_set():
            *others, last = (random.choice(ERRANDS)(random, f"{name}-{number + each}") for each in range(at_once))
            for errand in others:
                task = client.start_task(errand.tool, errand.arguments)
                self.tally.forgotten.append((client, task.id, errand))
            run_errand(client, last, random, self.tally)
            number += at_once
            time.sleep(random.random() * BETWEEN_POLLS)

    def _intrude(self, client: Client, random: Random) -> None:
        """Ask for tasks of others, and to cancel them: to be told anything but that there is none is wrong."""
        while not self._ends.wait(BETWEEN_POLLS):
            task_id = random.choice([*self.tally.started, "nobody's"])
            for what in (client.get_task, client.cancel_task, client.ended_task_result):
                try:
                    what(task_id)
                except McpError as error:
                    self.tally.count(f"refused to an intruder: {error.code}")
                else:
                    self.tally.wrong.append(f"an intruder was answered: {what.__name__} of {task_id}")

    def _approve(self, client: Client) -> None:
        while not self._leave.wait(BETWEEN_POLLS):
            for each in client.call_tool("approval_list", {}).structured["approvals"]:
                decision = {"id": each["id"], "action": "accept", "content": {"text": ANSWER}}
                client.call_tool("approval_decide", decision)
