"""Two people decide the same thing at once: one wins, and the other is told who."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Caller, after, role
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.approvals import AlreadyDecided, Approvals, Decided
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.model import State
from tests.contract.store_actions import COLOUR, add, suspend
from tests.kit import ADA, BusyWaiter, FixedClock, IdleExecutor, a_task, memory_ports
from tests.table_ports import table_ports

GRACE, HEIDI, IVAN = (
    Caller(tenant="acme", subject=name, roles=frozenset({"finance"})) for name in ("grace", "heidi", "ivan")
)
CFO = Caller(tenant="acme", subject="carol", roles=frozenset({"cfo"}))
YES = {"action": "accept", "content": {}}
NO = {"action": "decline"}
FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
FINANCE = Approval(audience=role("finance").but_me())


@pytest.fixture
def approvals(store: TaskStore, clock: FixedClock) -> Approvals:
    executor, waiter = IdleExecutor(), BusyWaiter(clock=clock)
    match store:
        case MemoryTaskStore():
            ports = replace(
                memory_ports(clock, executor=executor),
                tasks=store, queue=store, backlog=store, inbox=lambda: store.inbox,
            )  # fmt: skip
        case DynamoTaskStore():
            ports = table_ports(store, clock, executor=executor, waiter=waiter)
        case _:
            raise TypeError(store)
    return Approvals(ports=ports, suspension=Suspension(tasks=TaskService(ports=ports)))


@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(1, 20))])
def test_of_two_decisions_at_once_one_wins_each_time(store: TaskStore, approvals: Approvals, batch: int) -> None:
    """Of 1,000 pairs in all, each batch in a table of its own: moto copies the whole table for each transaction."""
    for number in range(50 * batch, 50 * batch + 50):
        asked = replace(COLOUR, params=FORM, approval=FINANCE)
        task = suspend(store, add(store, a_task(), limit=100), asked)
        ((waiting,), _) = approvals.page(GRACE, limit=2)
        answers = (YES, NO) if number % 2 else (YES, YES)

        ends = at_once(approvals, waiting.id, {GRACE: answers[0], HEIDI: answers[1]})

        (won,) = (end for end in ends if isinstance(end, Decided))
        (lost,) = (end for end in ends if end is not won)
        assert won.is_over
        assert isinstance(lost, AlreadyDecided)
        (decision,) = lost.decisions
        response = store.response(ADA.owner_key, task.id, "colour")
        assert response is not None
        assert response.decisions == (decision,)
        assert response.result is not None
        assert response.result["action"] == decision.action
        assert store.read(ADA.owner_key, task.id).state in (State.WORKING, State.QUEUED)
        assert approvals.page(GRACE, limit=2) == ([], None)


@pytest.mark.parametrize("quorum", [1, 2])
def test_of_two_audiences_that_decide_at_once_one_ends_it(
    store: TaskStore, approvals: Approvals, clock: FixedClock, quorum: int
) -> None:
    escalating = replace(FINANCE, quorum=quorum, escalate=after(timedelta(hours=1), role("cfo")))
    for number in range(20):
        asked = replace(COLOUR, key=f"colour-{number}", params=FORM, approval=escalating)
        task = suspend(store, add(store, a_task(ttl=timedelta(days=3)), limit=100), asked)
        clock.advance(timedelta(hours=1))
        ids = {who: approvals.page(who, limit=9)[0][0].id for who in (GRACE, CFO)}
        assert len({*ids.values()}) == 2

        ends = at_once(approvals, ids, {GRACE: YES, CFO: NO if number % 2 else YES})

        response = store.response(ADA.owner_key, task.id, asked.key)
        over = [end for end in ends if isinstance(end, Decided) and end.is_over]
        if quorum == 1:
            (late,) = (end for end in ends if isinstance(end, AlreadyDecided))
            assert response is not None
            assert late.decisions == response.decisions
            assert len(response.decisions) == 1
        else:
            assert not [end for end in ends if isinstance(end, AlreadyDecided) and number % 2 == 0]
            assert response is not None
            assert response.decisions[-1].action == ("decline" if number % 2 else "accept")
            assert len(response.decisions) == 2 or number % 2
        assert len(over) == 1
        assert [approvals.page(who, limit=9) for who in (GRACE, CFO)] == [([], None)] * 2


def test_of_three_who_accept_at_once_two_are_the_quorum(store: TaskStore, approvals: Approvals) -> None:
    for _ in range(20):
        asked = replace(COLOUR, params=FORM, approval=replace(FINANCE, quorum=2))
        task = suspend(store, add(store, a_task()), asked)
        ((waiting,), _) = approvals.page(GRACE, limit=2)

        ends = at_once(approvals, waiting.id, dict.fromkeys((GRACE, HEIDI, IVAN), YES))

        found = [end for end in ends if isinstance(end, Decided)]
        assert sorted((end.accepted, end.is_over) for end in found) == [(1, False), (2, True)]
        (late,) = (end for end in ends if isinstance(end, AlreadyDecided))
        response = store.response(ADA.owner_key, task.id, "colour")
        assert response is not None
        assert response.decisions == late.decisions
        assert len({each.subject for each in late.decisions}) == 2


def at_once(
    approvals: Approvals, item_id: str | Mapping[Caller, str], answers: Mapping[Caller, Mapping[str, Any]]
) -> list[Decided | Exception]:
    """Have people decide concurrently, and return how that ended for each."""
    ends: list[Decided | Exception] = []
    ready = threading.Barrier(len(answers))

    def act(who: Caller, answer: Mapping[str, Any]) -> None:
        ready.wait()
        try:
            mine = item_id if isinstance(item_id, str) else item_id[who]
            ends.append(approvals.decide(who, mine, answer, channel="test"))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is looked at
            ends.append(error)

    threads = [threading.Thread(target=act, args=each) for each in answers.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ends
