"""The contract of `Inbox`: what a task asks of others is in it while the task waits for that, and no longer."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mcp_tasks import Caller, anyone, role, subject
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.approvals import Approval, Audience, Decision
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.events import CancelRequested, Finished, InputReceived, InputRequested, Resumed, Suspended
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem, items_of
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from tests.contract.store_actions import COLOUR, DONE, RED, add, move, suspend
from tests.kit import ADA, EVE, NOON, FixedClock, a_task

ODD = "Öl & Gas # 1"
TENANT = "acme"


def asks(key: str, of: Audience, **more: Any) -> InputRequest:
    params = {"message": f"{key}?", "requestedSchema": {"type": "object", "properties": {}}}
    quorum = more.pop("quorum", 1)
    approval = Approval(audience=of, quorum=quorum, shown="# Why")
    return InputRequest(key=key, method="elicitation/create", params=params, approval=approval, **more)


FINANCE = asks("refund", role("finance"))
TWO_OF_FINANCE = asks("refund", role("finance"), quorum=2)


def decision(name: str, action: str = "accept") -> Decision:
    return Decision(subject=name, at=NOON, action=action, channel="approval_decide", digest="d", actor={"sub": "agent"})


def response(*decisions: Decision) -> InputResponse:
    return InputResponse(result={"action": decisions[-1].action}, decisions=decisions)


def waiting(inbox: Inbox, of: Audience, tenant: str = TENANT, after: str = "") -> list[InboxItem]:
    return list(inbox.items(tenant, of.key, after=after, limit=2))


def only(inbox: Inbox, of: Audience) -> InboxItem:
    (item,) = waiting(inbox, of)
    assert inbox.find(TENANT, item.id) == item
    return item


def test_what_a_task_asks_of_others_is_in_the_inbox_as_it_was_asked(store: TaskStore, inbox: Inbox) -> None:
    actor = {"sub": "agent", "act": {"sub": "planner"}}
    timed = asks("refund", role(ODD), timeout=timedelta(minutes=9))
    task = suspend(store, add(store, a_task(actor=actor)), timed, COLOUR)

    (item,) = items_of(ADA.owner_key, task)

    assert only(inbox, role(ODD)) == item
    assert (item.owner_key, item.task_id, item.tool, item.actor) == (ADA.owner_key, task.id, "greet", actor)
    assert (item.input_request, item.approval) == (timed, timed.approval)
    assert (item.asked_at, item.deadline) == (NOON, NOON + timedelta(minutes=9))
    assert store.read(ADA.owner_key, task.id).input_requests == (timed, COLOUR)


def test_an_item_is_there_once_the_task_is_suspended_and_no_sooner(store: TaskStore, inbox: Inbox) -> None:
    asked = move(store, add(store, a_task()), InputRequested(input_requests=(FINANCE,)))
    assert waiting(inbox, role("finance")) == []

    suspended = move(store, asked, Suspended(task_token="token"))
    item = only(inbox, role("finance"))

    assert inbox.accept(TENANT, item, decision("grace"))
    move(store, suspended, Suspended(task_token="another"))
    assert only(inbox, role("finance")).accepted == (decision("grace"),)


def test_an_item_keeps_who_acted_for_each_that_accepted(store: TaskStore, inbox: Inbox) -> None:
    suspend(store, add(store, a_task()), TWO_OF_FINANCE)
    by_two = replace(decision("grace"), actor={"sub": "agent", "act": {"sub": "planner"}})

    assert inbox.accept(TENANT, only(inbox, role("finance")), by_two)

    assert only(inbox, role("finance")).accepted == (by_two,)


OTHERS = {
    "a longer name": (TENANT, role("finances")),
    "a shorter name": (TENANT, role("financ")),
    "another kind": (TENANT, subject("finance")),
    "anyone": (TENANT, anyone()),
    "another tenant": ("rival", role("finance")),
}


@pytest.mark.parametrize(("tenant", "of"), OTHERS.values(), ids=OTHERS)
def test_an_item_is_in_one_inbox(store: TaskStore, inbox: Inbox, tenant: str, of: Audience) -> None:
    suspend(store, add(store, a_task()), FINANCE)

    assert waiting(inbox, of, tenant) == []
    assert inbox.find(tenant, f"{of.key}#{only(inbox, role('finance')).place}") is None


@pytest.mark.parametrize("item_id", ["", "#", "role:finance#", "ü", "x" * 3_000, "role:finance#\x00"])
def test_an_id_may_be_any_text(store: TaskStore, inbox: Inbox, item_id: str) -> None:
    suspend(store, add(store, a_task()), FINANCE)

    assert (inbox.find(TENANT, item_id), inbox.decided(TENANT, item_id)) == (None, None)


@pytest.mark.parametrize(
    "end",
    [
        CancelRequested(status_message="no"),
        Finished(outcome=DONE),
        Resumed(responses={"refund": InputResponse(), "colour": RED}),
        InputReceived(responses={"refund": InputResponse()}),
    ],
    ids=["cancelled", "finished", "not answered", "not answered, and others open"],
)
def test_an_item_ends_with_its_input_request(store: TaskStore, inbox: Inbox, end: Any) -> None:
    task = suspend(store, add(store, a_task()), FINANCE, COLOUR)
    item = only(inbox, role("finance"))

    move(store, task, end)

    assert (waiting(inbox, role("finance")), inbox.find(TENANT, item.id), inbox.decided(TENANT, item.id)) == (
        [],
        None,
        None,
    )


def test_an_item_ends_at_its_deadline(store: TaskStore, inbox: Inbox, clock: FixedClock) -> None:
    suspend(store, add(store, a_task()), asks("refund", role("finance"), timeout=timedelta(minutes=9)))
    item = only(inbox, role("finance"))

    clock.advance(timedelta(minutes=9))

    assert (waiting(inbox, role("finance")), inbox.find(TENANT, item.id)) == ([], None)
    assert not inbox.accept(TENANT, item, decision("grace"))


def test_who_decided_is_known_for_a_day(store: TaskStore, inbox: Inbox, clock: FixedClock) -> None:
    task = suspend(store, add(store, a_task(ttl=timedelta(days=9))), FINANCE)
    item = only(inbox, role("finance"))

    move(store, task, Resumed(responses={"refund": response(decision("grace", "decline"))}))

    assert waiting(inbox, role("finance")) == []
    kept = inbox.decided(TENANT, item.id)
    assert kept is not None
    assert kept.decisions == (decision("grace", "decline"),)
    assert inbox.decided("rival", item.id) is None
    assert store.response(ADA.owner_key, task.id, "refund") == response(decision("grace", "decline"))
    assert not inbox.accept(TENANT, item, decision("heidi"))
    clock.advance(timedelta(days=1))
    assert inbox.decided(TENANT, item.id) is None


def test_what_was_decided_is_known_for_as_long_without_its_form(
    store: TaskStore, inbox: Inbox, clock: FixedClock
) -> None:
    actor = {"sub": "agent"}
    task = suspend(store, add(store, a_task(actor=actor, ttl=timedelta(days=9))), FINANCE)
    item = only(inbox, role("finance"))
    assert past(inbox) == []

    move(store, task, Resumed(responses={"refund": response(decision("grace", "decline"))}))

    (kept,) = past(inbox)
    assert (kept.id, kept.owner_key, kept.actor, kept.tool) == (item.id, ADA.owner_key, actor, "greet")
    assert (kept.message, kept.asked_at, kept.decisions) == ("refund?", NOON, (decision("grace", "decline"),))
    assert kept.approval == Approval(audience=role("finance"))
    clock.advance(timedelta(days=1))
    assert past(inbox) == []


@pytest.mark.parametrize(("tenant", "of"), OTHERS.values(), ids=OTHERS)
def test_what_was_decided_is_in_one_inbox(store: TaskStore, inbox: Inbox, tenant: str, of: Audience) -> None:
    task = suspend(store, add(store, a_task()), FINANCE)
    move(store, task, Resumed(responses={"refund": response(decision("grace"))}))

    assert (len(past(inbox)), past(inbox, of, tenant)) == (1, [])


def test_what_ended_undecided_is_no_decision(store: TaskStore, inbox: Inbox) -> None:
    task = suspend(store, add(store, a_task()), FINANCE)
    move(store, task, CancelRequested(status_message="no"))

    assert past(inbox) == []


def test_what_was_decided_is_listed_with_the_last_first(store: TaskStore, inbox: Inbox) -> None:
    for minute in range(5):
        task = suspend_at(store, minute, ADA)
        move(store, task, Resumed(responses={"refund": response(decision("grace"))}))

    found = past(inbox)

    assert [each.asked_at for each in found] == [NOON + timedelta(minutes=minute) for minute in (4, 3, 2, 1, 0)]
    assert past(inbox, before=found[1].place) == found[2:]
    assert past(inbox, before=found[4].place) == []


def past(inbox: Inbox, of: Audience | None = None, tenant: str = TENANT, before: str = "") -> list[DecidedItem]:
    return list(inbox.history(tenant, (of or role("finance")).key, before=before, limit=2))


def test_of_two_who_accept_what_they_read_one_is_counted(store: TaskStore, inbox: Inbox) -> None:
    suspend(store, add(store, a_task()), TWO_OF_FINANCE)
    item = only(inbox, role("finance"))

    assert inbox.accept(TENANT, item, decision("grace"))
    assert not inbox.accept(TENANT, item, decision("heidi"))
    assert only(inbox, role("finance")) == replace(item, accepted=(decision("grace"),))


def test_a_decision_that_does_not_know_of_another_is_not_written(store: TaskStore, inbox: Inbox) -> None:
    task = suspend(store, add(store, a_task()), TWO_OF_FINANCE)
    inbox.accept(TENANT, only(inbox, role("finance")), decision("grace"))
    late = Resumed(responses={"refund": response(decision("heidi", "decline"))})

    with pytest.raises(StaleTask):
        move(store, task, late)

    assert store.read(ADA.owner_key, task.id) == task
    assert only(inbox, role("finance")).accepted == (decision("grace"),)
    both = response(decision("grace"), decision("heidi", "decline"))
    move(store, task, Resumed(responses={"refund": both}))
    assert waiting(inbox, role("finance")) == []


def test_items_are_listed_in_the_order_in_which_they_were_asked(store: TaskStore, inbox: Inbox) -> None:
    tasks = [suspend_at(store, minute, owner) for minute, owner in enumerate([ADA, EVE, ADA, ADA, ADA, ADA])]

    found = waiting(inbox, role("finance"))

    assert [item.task_id for item in found] == [task.id for task in (tasks[0], *tasks[2:])]
    assert waiting(inbox, role("finance"), after=found[1].place) == found[2:]
    assert [item.task_id for item in waiting(inbox, role("finance"), "rival")] == [tasks[1].id]


def suspend_at(store: TaskStore, minute: int, owner: Caller) -> Task:
    """Suspend a task that asked so many minutes after noon."""
    at = NOON + timedelta(minutes=minute)
    task = a_task(requested_at=at, input_requests=(FINANCE,))
    before = add(store, task, owner_key=owner.owner_key)
    return move(store, before, Suspended(task_token="token"), owner_key=owner.owner_key)


def test_as_many_as_may_be_open_at_once_end_in_one_write(store: TaskStore, inbox: Inbox) -> None:
    theirs = [asks(f"a{number}", role("finance")) for number in range(10)]
    mine = [replace(COLOUR, key=f"c{number}") for number in range(40)]
    task = suspend(store, add(store, a_task()), *theirs, *mine)
    decided = {each.key: response(decision("ada")) for each in theirs}

    move(store, task, Resumed(responses=decided | {each.key: RED for each in mine}))

    assert waiting(inbox, role("finance")) == []


def test_a_task_that_asks_nobody_else_is_in_no_inbox(store: TaskStore, inbox: Inbox) -> None:
    task = suspend(store, add(store, a_task()), COLOUR)
    move(store, task, Resumed(responses={"colour": RED}))

    every = map(partial(waiting, inbox), (anyone(), subject("ada"), role("finance")))
    assert [*every] == [[], [], []]
