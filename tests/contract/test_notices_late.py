"""Notices of approvals, by the sweep and the table's stream: each at its time, once, and none of what is over."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import after, role
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.inbox_changes import inbox_change_of, is_of_inbox
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.notifier import MemoryNotifier
from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.events import CancelRequested, Finished, Resumed
from mcp_tasks.tasks.inbox import items_of
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from tests.cloud import Cloud, stream
from tests.contract.store_actions import DONE, add, move, suspend
from tests.contract.test_reminders import ports_of, sweeper
from tests.kit import ADA, NOON, FixedClock, IdleExecutor, a_task

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
FINANCE, CFO = role("finance"), role("cfo")
APPROVAL = Approval(audience=FINANCE, quorum=2, remind=HOUR, escalate=after(90 * MINUTE, CFO))
ASKED = InputRequest(key="refund", method="elicitation/create", params=FORM, approval=APPROVAL, timeout=4 * HOUR)
GRACE = Decision(subject="grace", at=NOON, action="accept", channel="approval_decide", digest="d")
HEIDI = replace(GRACE, subject="heidi", action="decline")

IN_TIME = [
    (0, "Approval Requested", "finance"),
    (60, "Approval Reminder", "finance"),
    (90, "Approval Escalated", "cfo"),
    (120, "Approval Reminder", "finance"),
    (150, "Approval Reminder", "cfo"),
    (180, "Approval Reminder", "finance"),
    (210, "Approval Reminder", "cfo"),
]
"""The minutes after the question at which an audience is told, until it ends after 240."""


class Office:
    """A task that asks at noon, and the two functions that tell people of it: the sweep, and the stream's."""

    def __init__(self, store: DynamoTaskStore, clock: FixedClock, aws: Cloud) -> None:
        self.store, self.clock, self.aws = store, clock, aws
        self.task = suspend(store, add(store, a_task(ttl=timedelta(days=3))), ASKED)
        self.inbox = DynamoInbox(table=store.table)
        self.ports = ports_of(store, clock, self.task, MemoryNotifier())
        self.sweeps: Reconciler = sweeper(self.ports)
        self._delivered = 0

    def deliver(self, *, again: bool = False) -> list[tuple[int, str, str]]:
        """Deliver the records of the inbox that are new, or all; return the minute, and who was told what."""
        notifier = MemoryNotifier()
        notices = ApprovalNotices(ports=replace(self.ports, notifier=notifier))
        records = [each["dynamodb"] for each in stream(self.aws) if is_of_inbox(each["dynamodb"])]
        for record in records[0 if again else self._delivered :]:
            notices.changed(*inbox_change_of(record))
        self._delivered = len(records)
        minute = (self.clock.now() - NOON) // MINUTE
        return [(minute, each.occasion.value, str(each.audience.name)) for each in notifier.sent]

    def told_until(self, minutes: int, *, every: int = 30) -> Iterator[tuple[int, str, str]]:
        """Sweep every so many minutes, deliver what that writes, and yield who was told what."""
        yield from self.deliver()
        while self.clock.now() < NOON + minutes * MINUTE:
            self.clock.advance(every * MINUTE)
            self.sweeps.sweep(limit=9)
            yield from self.deliver()

    def accept(self) -> None:
        """Have one of two accept."""
        first, _ = items_of(ADA.owner_key, self.task)
        assert self.inbox.accept("acme", first, GRACE)


@pytest.fixture
def office(dynamo_store: DynamoTaskStore, clock: FixedClock, aws: Cloud) -> Office:
    return Office(dynamo_store, clock, aws)


def test_each_audience_is_told_at_its_times_and_at_no_other(office: Office) -> None:
    assert list(office.told_until(300, every=5)) == IN_TIME


def test_an_acceptance_that_is_not_the_last_changes_nothing_of_who_is_told_when(office: Office) -> None:
    told = list(office.told_until(60))
    office.accept()
    assert told + list(office.told_until(300)) == IN_TIME


def test_sweeps_that_failed_for_hours_are_made_up_by_one_notice_for_each_audience(office: Office) -> None:
    told = list(office.told_until(0))
    office.clock.advance(3 * HOUR + MINUTE)
    told += list(office.told_until(211, every=5))

    assert told == [
        (0, "Approval Requested", "finance"),
        (186, "Approval Reminder", "finance"),
        (186, "Approval Escalated", "cfo"),
        (211, "Approval Reminder", "cfo"),
    ]


def test_a_notice_whose_time_comes_while_the_task_is_checked_is_sent_by_the_next_sweep(office: Office) -> None:
    """AWS takes a minute to describe the execution, and the reminder is due in that minute."""

    class Slow(IdleExecutor):
        def describe(self, task: Task) -> Execution:
            office.clock.advance(MINUTE)
            return super().describe(task)

    executor = Slow(started={office.task.id: {}})
    office.sweeps = sweeper(replace(office.ports, executor=executor))
    office.deliver()
    office.store.table.update_unversioned(
        Key={"PK": {"S": ADA.owner_key}, "SK": {"S": f"task#{office.task.id}"}},
        UpdateExpression="SET checkAt = :now",
        ExpressionAttributeValues={":now": {"N": "0"}},
    )
    office.clock.advance(59 * MINUTE + MINUTE / 2)
    office.sweeps.sweep(limit=9)
    assert office.clock.now() > NOON + HOUR
    assert office.deliver() == []

    office.clock.advance(4 * MINUTE)
    office.sweeps.sweep(limit=9)
    assert [each[1:] for each in office.deliver()] == [("Approval Reminder", "finance")]


ENDS: dict[str, Any] = {
    "cancelled": CancelRequested(status_message="no"),
    "declined": Resumed(responses={"refund": InputResponse(result={"action": "decline"}, decisions=(HEIDI,))}),
    "not answered": Resumed(responses={"refund": InputResponse()}),
    "finished": Finished(outcome=DONE),
    "past its deadline": None,
}


@pytest.mark.parametrize("end", ENDS)
def test_no_notice_of_any_kind_is_sent_late_of_what_is_over(office: Office, end: str) -> None:
    told = list(office.told_until(210))
    assert told == IN_TIME
    assert len(office.deliver(again=True)) == len(IN_TIME), "while it is open, a notice may be repeated"

    if (event := ENDS[end]) is None:
        office.clock.advance(30 * MINUTE)
    else:
        move(office.store, office.task, event, now=office.clock.now())
    assert office.deliver(again=True) == []
    assert list(office.told_until(400)) == []


def test_a_notice_that_is_repeated_has_the_id_of_the_first_and_no_other_has(office: Office) -> None:
    list(office.told_until(210))

    def ids() -> list[str]:
        notifier = MemoryNotifier()
        notices = ApprovalNotices(ports=replace(office.ports, notifier=notifier))
        for record in stream(office.aws):
            if is_of_inbox(record["dynamodb"]):
                notices.changed(*inbox_change_of(record["dynamodb"]))
        return [each.id for each in notifier.sent]

    assert ids() == ids()
    assert len(set(ids())) == len(IN_TIME)
