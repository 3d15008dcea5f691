"""The adapters in memory for weeks: each call takes as much work as the first, and what is over is forgotten."""

import sys
from collections.abc import Callable
from datetime import timedelta
from types import FrameType
from typing import Any

import pytest

from mcp_tasks import role
from mcp_tasks.adapters.memory.ports import memory_ports
from mcp_tasks.ports import Ports
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.tasks.events import InputReceived, Resumed
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import Holding, State, Task
from mcp_tasks.tasks.plan import Plan
from tests.contract.containers import values_in
from tests.contract.store_actions import COLOUR, RED, finish, move, suspend
from tests.contract.test_inbox import asks, decision, response
from tests.kit import ADA, FixedClock, IdleExecutor, a_task

PLAN = Plan(active_tasks=100, running_tasks=1, suspended_tasks=50, stored_bytes=10**9, subject_share=1)
AUDIENCE = role("finance")
YES = response(decision("grace"))
DAYS = timedelta(days=40)


class Server:
    """The ports of one process, and the clock that all of them go by."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.ports: Ports = memory_ports(self.clock, IdleExecutor(), secret=b"0123456789abcdef")
        self.number = 0

    def create(self, **changes: Any) -> Task:
        self.number += 1
        key = IdempotencyKey(name=f"order {self.number}", fingerprint="f")
        task = a_task(self.clock.now(), **changes)
        return self.ports.tasks.create(ADA.owner_key, task, {"n": 1}, key=key, plan=PLAN)

    def ended(self) -> Task:
        self.clock.advance(timedelta(milliseconds=1))
        return finish(self.ports.tasks, self.create())

    def decided(self) -> Task:
        self.clock.advance(timedelta(milliseconds=1))
        asking = suspend(self.ports.tasks, self.create(), asks("refund", AUDIENCE), now=self.clock.now())
        return finish(self.ports.tasks, move(self.ports.tasks, asking, Resumed(responses={"refund": YES})))

    def everything(self) -> None:
        """Do all that leaves something in memory, once, and end it."""
        tasks, inbox, now = self.ports.tasks, self.ports.inbox(), self.clock.now()
        asking = suspend(tasks, self.create(session="s"), COLOUR, asks("refund", AUDIENCE))
        (item,) = inbox.items(ADA.tenant, AUDIENCE.key, after="", limit=1)
        tasks.record(ADA.owner_key, asking, "step", 1)
        tasks.claim(ADA.owner_key, asking, "stream")
        inbox.use_link(ADA.tenant, f"link {self.number}", "nonce", now + timedelta(hours=1))
        answered = move(tasks, asking, InputReceived(responses={"refund": YES}))
        finish(tasks, move(tasks, answered, Resumed(responses={"colour": RED})))
        assert inbox.decided(ADA.tenant, item.id) is not None
        # A task that nobody answers, and its approval, as the sweep finds them.
        left = suspend(tasks, self.create(), asks("refund", AUDIENCE))
        self.clock.advance(left.ttl)
        self.ports.backlog.discard(ADA.owner_key, left.id)
        self.ports.buckets.take(f"tenant {self.number}", "requests", 1, Rate(burst=10, per_second=1))
        self.ports.change_feed.publish(ADA.owner_key, f"doc://{self.number}")
        self.ports.held_waits.end(
            f"tenant {self.number}", self.ports.held_waits.begin(f"tenant {self.number}", 5) or ""
        )

    def kept(self) -> int:
        """Return how many values are in memory, after a task was created when all else was over."""
        self.clock.advance(DAYS)
        self.ended()
        self.ports.buckets.take("last", "requests", 1, Rate(burst=10, per_second=1))
        self.ports.change_feed.publish(ADA.owner_key, "doc://last")
        asking = suspend(self.ports.tasks, self.create(), asks("refund", AUDIENCE))
        self.ports.inbox().use_link(ADA.tenant, "last", "nonce", self.clock.now() + timedelta(hours=1))
        move(self.ports.tasks, asking, Resumed(responses={"refund": YES}))
        parts = (self.ports.tasks, self.ports.buckets, self.ports.change_feed, self.ports.held_waits)
        return sum(values_in(part) for part in parts)


def instructions(act: Callable[[], object]) -> int:
    """Return how many instructions of Python an action takes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def calls(server: Server) -> dict[str, Callable[[], object]]:
    """Return every call of a store that something else than one task's record takes part in."""
    store: Any = server.ports.tasks
    tenants = server.ports.tenants
    assert tenants is not None
    queued = server.create(state=State.QUEUED, holding=Holding(active=True))
    second = server.create(state=State.QUEUED, holding=Holding(active=True))
    suspended = suspend(store, server.create(session="s"))
    return {
        "create": server.create,
        "repeat": lambda: store.create(
            ADA.owner_key, queued, {}, key=IdempotencyKey(name=f"order {server.number}", fingerprint="f"), plan=PLAN
        ),
        "write": lambda: finish(store, suspended),
        "page": lambda: store.page(ADA.owner_key, before=None, limit=3),
        "awaiting_input": lambda: store.awaiting_input(ADA.owner_key, "s"),
        "waiting": store.waiting,
        "tasks_before": lambda: store.tasks_before(ADA.owner_key, second),
        "start_next": lambda: store.start_next(ADA.tenant, PLAN),
        "due": lambda: store.due(limit=5),
        "use": lambda: tenants().use(ADA.tenant),
        "tenants": lambda: tenants().page(after="", limit=5),
        "items": lambda: list(store.inbox.items(ADA.tenant, AUDIENCE.key, after="", limit=1)),
        "history": lambda: next(store.inbox.history(ADA.tenant, AUDIENCE.key, before="", limit=1), None),
    }


@pytest.fixture(scope="module")
def work() -> tuple[dict[str, int], dict[str, int]]:
    """How many instructions each call takes after 200 tasks, and after 10,000, half of them with an approval."""
    found = []
    for number in (100, 5_000):
        server = Server()
        for _ in range(number):
            server.ended()
            server.decided()
        found.append({name: instructions(call) for name, call in calls(server).items()})
    return found[0], found[1]


CALLS = list(calls(Server()))


@pytest.mark.parametrize("call", CALLS)
def test_call_takes_as_much_work_after_many_tasks_as_after_few(
    call: str, work: tuple[dict[str, int], dict[str, int]]
) -> None:
    few, many = work
    # A step of a search in the heap or in a list may be more; a scan would be tens of thousands.
    assert many[call] <= few[call] + 50, (few, many)


def test_all_that_is_over_is_forgotten() -> None:
    once = Server()
    once.everything()
    often = Server()
    for _ in range(60):
        often.everything()

    assert often.kept() == once.kept() < 100


def test_task_that_ended_is_forgotten_at_its_time_and_a_live_one_is_not() -> None:
    server = Server()
    store: Any = server.ports.tasks
    live = server.create()
    for _ in range(1_000):
        finish(store, server.create())
    server.clock.advance(live.ttl)
    assert len(store._records) == 1_001

    # Their bytes are counted until the hour is over.
    server.clock.advance(timedelta(hours=1))
    new = server.create()
    assert set(store._records) == {(ADA.owner_key, live.id), (ADA.owner_key, new.id)}
    assert list(store.due(limit=5)) == [(ADA.owner_key, live.id)]
