"""The contract of reminders: in memory and on DynamoDB, and in processes that die at any call."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import after, role
from mcp_tasks.adapters.dynamodb.inbox_changes import inbox_change_of, is_of_inbox
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.notifier import MemoryNotifier
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.ports import Ports
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.events import CancelRequested, Resumed
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputRequest, InputResponse, State, Task
from mcp_tasks.tasks.notifications import Occasion
from tests.cloud import Cloud, stream
from tests.contract.process import Crash, Fuse, When
from tests.contract.store_actions import COLOUR, add, move, suspend
from tests.kit import ADA, NOON, BusyWaiter, FixedClock, IdleExecutor, a_task, memory_ports
from tests.table_ports import table_ports

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
FINANCE = Approval(audience=role("finance"), remind=HOUR)
FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
ASKED = InputRequest(key="refund", method="elicitation/create", params=FORM, approval=FINANCE)
GRACE = Decision(subject="grace", at=NOON, action="accept", channel="approval_decide", digest="d")
TENANT = "acme"


def suspended(store: TaskStore) -> Task:
    return suspend(store, add(store, a_task(ttl=timedelta(days=3))), ASKED)


def only(inbox: Inbox) -> InboxItem:
    (item,) = inbox.items(TENANT, FINANCE.audience.key, after="", limit=2)
    return item


def test_an_audience_is_told_once_for_each_time(store: TaskStore, inbox: Inbox) -> None:
    suspended(store)
    item = only(inbox)
    assert item.notices == 0
    assert item.approval.remind == HOUR

    said = [inbox.notice(TENANT, item.id, number) for number in (1, 1, 3, 2, 3)]

    assert said == [True, False, True, False, False]
    assert only(inbox) == replace(item, notices=3)


def test_what_is_accepted_and_how_often_people_were_told_do_not_undo_each_other(store: TaskStore, inbox: Inbox) -> None:
    suspended(store)
    item = only(inbox)

    assert inbox.notice(TENANT, item.id, 1)
    assert inbox.accept(TENANT, item, GRACE)
    assert inbox.notice(TENANT, item.id, 2)

    assert only(inbox) == replace(item, notices=2, accepted=(GRACE,))


@pytest.mark.parametrize(
    "end",
    [
        CancelRequested(status_message="no"),
        Resumed(responses={"refund": InputResponse(result={"action": "accept"}, decisions=(GRACE,))}),
    ],
    ids=["cancelled", "decided"],
)
def test_nobody_is_told_of_what_is_over(store: TaskStore, inbox: Inbox, end: Any) -> None:
    task = suspended(store)
    item = only(inbox)

    move(store, task, end)

    assert not inbox.notice(TENANT, item.id, 1)
    assert inbox.find(TENANT, item.id) is None
    assert not inbox.notice("rival", item.id, 1)


def test_nobody_is_told_after_the_deadline(store: TaskStore, inbox: Inbox, clock: FixedClock) -> None:
    suspended(store)
    item = only(inbox)

    clock.advance(item.deadline - clock.now())

    assert not inbox.notice(TENANT, item.id, 1)


def test_a_task_that_reminds_people_is_checked_for_that_whatever_it_did_before(
    store: TaskStore, backlog: Backlog, clock: FixedClock
) -> None:
    task = add(store, a_task(ttl=timedelta(days=3)))
    backlog.postpone(ADA.owner_key, task.id, NOON + 9 * HOUR)
    suspend(store, task, ASKED)

    clock.advance(HOUR - MINUTE)
    assert list(backlog.due(limit=9)) == []
    clock.advance(MINUTE)
    assert list(backlog.due(limit=9)) == [(ADA.owner_key, task.id)]


def test_a_task_that_reminds_nobody_is_checked_as_ever(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task(ttl=timedelta(days=3)))
    backlog.postpone(ADA.owner_key, task.id, NOON + 9 * HOUR)
    suspend(store, task, replace(ASKED, approval=replace(FINANCE, remind=None)), COLOUR)

    clock.advance(8 * HOUR)
    assert list(backlog.due(limit=9)) == []
    clock.advance(HOUR)
    assert list(backlog.due(limit=9)) == [(ADA.owner_key, task.id)]


def ports_of(store: TaskStore, clock: FixedClock, task: Task, notifier: MemoryNotifier) -> Ports:
    """Return the ports of a process that sees the execution of the task run."""
    executor = IdleExecutor()
    executor.started = {task.id: {}}
    match store:
        case MemoryTaskStore():
            usual = memory_ports(clock, executor=executor)
            return replace(usual, tasks=store, queue=store, backlog=store, inbox=lambda: store.inbox, notifier=notifier)
        case DynamoTaskStore():
            usual = table_ports(store, clock, executor=executor, waiter=BusyWaiter(clock=clock))
            return replace(usual, notifier=notifier)
        case _:
            raise TypeError(store)


def sweeper(ports: Ports) -> Reconciler:
    return Reconciler(tasks=TaskService(ports=ports), ports=ports)


def test_a_sweep_that_comes_late_reminds_once_and_at_the_next_time_again(
    store: TaskStore, backlog: Backlog, clock: FixedClock, inbox: Inbox
) -> None:
    task = suspended(store)
    reconciler = sweeper(ports_of(store, clock, task, MemoryNotifier()))

    clock.advance(3 * HOUR + MINUTE)
    reconciler.sweep(limit=9)
    assert only(inbox).notices == 3
    clock.advance(HOUR - 2 * MINUTE)
    assert list(backlog.due(limit=9)) == []
    clock.advance(MINUTE)
    reconciler.sweep(limit=9)
    assert only(inbox).notices == 4


AGAIN = {
    Occasion.REMINDED: ASKED,
    Occasion.ESCALATED: replace(ASKED, approval=Approval(audience=role("finance"), escalate=after(HOUR, role("cfo")))),
}


@pytest.mark.parametrize("occasion", AGAIN)
@pytest.mark.parametrize("when", ["before", "after"])
def test_people_are_told_whenever_a_process_dies(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock, when: When, occasion: Occasion
) -> None:
    """Each call of the sweep and of who follows the stream is one at which it dies, and the next one goes on."""
    asked = AGAIN[occasion]
    calls = dies_at(dynamo_store, clock, aws, asked, Fuse())
    assert "update_item" in calls
    for number in range(len(calls)):
        with pytest.raises(Crash):
            dies_at(dynamo_store, clock, aws, asked, Fuse(number=number, when=when))
        (task,) = waiting(dynamo_store)
        clock.advance(2 * MINUTE)
        told = MemoryNotifier()
        work(dynamo_store, clock, aws, task, told)

        occasions = [each.occasion for each in told.sent]
        assert occasions == [Occasion.REQUESTED, occasion], f"died {when} {calls[number]}"
        assert len({each.id for each in told.sent}) == 2
        move(dynamo_store, task, CancelRequested(status_message="no"))


def dies_at(store: DynamoTaskStore, clock: FixedClock, aws: Cloud, asked: InputRequest, fuse: Fuse) -> list[str]:
    """Have people told of a task in a process that dies where the fuse says; return its calls."""
    task = suspend(store, add(store, a_task(ttl=timedelta(days=3))), asked)
    clock.advance(HOUR)
    work(fused(store, fuse), clock, aws, task, MemoryNotifier())
    move(store, task, CancelRequested(status_message="no"))
    return list(fuse.calls)


def waiting(store: DynamoTaskStore) -> list[Task]:
    found = store.page(ADA.owner_key, before=None, limit=99)
    return [each for each in found if each.state is State.INPUT_REQUIRED]


def fused(store: DynamoTaskStore, fuse: Fuse) -> DynamoTaskStore:
    return replace(store, table=replace(store.table, client=fuse.around(store.table.client)))


def work(store: DynamoTaskStore, clock: FixedClock, aws: Cloud, task: Task, notifier: MemoryNotifier) -> None:
    """Sweep, and deliver the whole stream of the inbox, as one function after the other does."""
    ports = ports_of(store, clock, task, notifier)
    sweeper(ports).sweep(limit=9)
    notices: Callable[..., None] = ApprovalNotices(ports=ports).changed
    for record in stream(aws):
        if is_of_inbox(record["dynamodb"]):
            notices(*inbox_change_of(record["dynamodb"]))
