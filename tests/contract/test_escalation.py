"""The contract of what escalates: another audience may answer too, in time, and one decision ends both."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import after, role, subject
from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_size
from mcp_tasks.limits.tools import MAX_APPROVALS, MAX_INPUT_REQUESTS
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.approvals import Approval, Audience, Decision
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.events import CancelRequested, Finished, Resumed
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem, items_of
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from tests.contract.store_actions import COLOUR, DONE, RED, add, move, suspend
from tests.kit import ADA, NOON, FixedClock, a_task

HOUR = timedelta(hours=1)
FINANCE, CFO = role("finance"), role("cfo")
TWO = Approval(audience=FINANCE.but_me(), quorum=2, escalate=after(4 * HOUR, CFO))
FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
ASKED = InputRequest(key="refund", method="elicitation/create", params=FORM, approval=TWO)
TENANT = "acme"


def decision(name: str, action: str = "accept") -> Decision:
    return Decision(subject=name, at=NOON, action=action, channel="approval_decide", digest="d")


def resumed(*decisions: Decision) -> Resumed:
    return Resumed(responses={"refund": InputResponse(result={"action": decisions[-1].action}, decisions=decisions)})


@pytest.fixture
def task(store: TaskStore) -> Task:
    return suspend(store, add(store, a_task(ttl=timedelta(days=3))), ASKED)


def waiting(inbox: Inbox, of: Audience) -> list[InboxItem]:
    return list(inbox.items(TENANT, of.key, after="", limit=2))


def only(inbox: Inbox, of: Audience) -> InboxItem:
    (item,) = waiting(inbox, of)
    assert inbox.find(TENANT, item.id) == item
    return item


def test_another_audience_has_it_once_its_time_has_come_and_the_first_still_does(
    inbox: Inbox, task: Task, clock: FixedClock
) -> None:
    first, second = items_of(ADA.owner_key, task)
    clock.advance(4 * HOUR - timedelta(microseconds=1))
    assert only(inbox, FINANCE) == first
    assert (waiting(inbox, CFO), inbox.find(TENANT, second.id)) == ([], None)

    clock.advance(timedelta(microseconds=1))

    assert (only(inbox, FINANCE), only(inbox, CFO)) == (first, second)
    assert first.place == second.place
    assert (first.opens_at, second.opens_at) == (NOON, NOON + 4 * HOUR)
    assert (first.shown["for"], second.shown["for"]) == ("role finance", "role cfo")
    assert first.ids == second.ids == (first.id, second.id)
    assert second.approval == replace(TWO, audience=CFO.but_me(), escalate=None), "four eyes are four for both"


def test_whoever_was_told_has_it_by_whatever_clock(inbox: Inbox, task: Task, clock: FixedClock) -> None:
    _, second = items_of(ADA.owner_key, task)
    clock.advance(4 * HOUR)
    assert inbox.notice(TENANT, second.id, 1)

    clock.advance(-timedelta(seconds=2))

    assert only(inbox, CFO) == replace(second, notices=1)


@pytest.mark.parametrize(("here", "there"), [(FINANCE, CFO), (CFO, FINANCE)], ids=["first", "second"])
def test_who_accepts_is_counted_for_both(
    inbox: Inbox, task: Task, clock: FixedClock, here: Audience, there: Audience
) -> None:
    clock.advance(4 * HOUR)
    mine, theirs = only(inbox, here), only(inbox, there)

    assert inbox.accept(TENANT, mine, decision("grace"))

    assert [only(inbox, each).accepted for each in (here, there)] == [(decision("grace"),)] * 2
    assert not inbox.accept(TENANT, theirs, decision("heidi")), "it was read before"
    assert inbox.accept(TENANT, only(inbox, there), decision("heidi"))
    assert only(inbox, here).accepted == (decision("grace"), decision("heidi"))


def test_who_accepts_before_its_time_is_counted_too(inbox: Inbox, task: Task, clock: FixedClock) -> None:
    assert inbox.accept(TENANT, only(inbox, FINANCE), decision("grace"))

    clock.advance(4 * HOUR)

    assert only(inbox, CFO).accepted == (decision("grace"),)


@pytest.mark.parametrize("passed", [HOUR, 5 * HOUR], ids=["before its time", "after"])
@pytest.mark.parametrize(
    ("end", "decided"),
    [
        (resumed(decision("grace", "decline")), (decision("grace", "decline"),)),
        (Resumed(responses={"refund": InputResponse()}), ()),
        (CancelRequested(status_message="no"), ()),
        (Finished(outcome=DONE), ()),
    ],
    ids=["decided", "not answered", "cancelled", "finished"],
)
def test_neither_has_it_once_it_is_over(
    store: TaskStore, inbox: Inbox, task: Task, clock: FixedClock, passed: timedelta, end: Any, decided: Any
) -> None:
    both = [each.id for each in items_of(ADA.owner_key, task)]
    clock.advance(passed)

    move(store, task, end, now=clock.now())
    clock.advance(5 * HOUR)

    assert [waiting(inbox, each) for each in (FINANCE, CFO)] == [[], []]
    assert [inbox.find(TENANT, each) for each in both] == [None, None]
    of_second = decided if passed > 4 * HOUR else ()
    kept = [inbox.decided(TENANT, each) for each in both]
    assert [each.decisions if each else () for each in kept] == [decided, of_second], "what it never had is not told"


def test_all_of_a_decision_is_kept_until_others_decide_and_for_a_day_after(store: TaskStore, inbox: Inbox) -> None:
    actor = {"sub": "agent", "act": {"sub": "planner", "act": {"sub": "desk", "iss": "https://a.test"}}}
    asked = replace(ASKED, approval=replace(TWO, shown="# Why", remind=HOUR))
    first = Decision(
        subject="grace\u202e",
        at=NOON + timedelta(seconds=1, microseconds=7),
        action="accept",
        channel="link",
        digest="one",
        actor=actor,
        content={"amount": 2**53 + 1, "why": "ü\n", "kinds": ["b", "a"]},
    )
    last = replace(decision("heidi", "decline"), at=NOON + HOUR, digest="two")
    task = suspend(store, add(store, a_task(actor=actor, ttl=timedelta(days=9))), asked)

    assert inbox.accept(TENANT, only(inbox, FINANCE), first)
    item = only(inbox, FINANCE)
    assert item.accepted == (first,)
    move(store, task, resumed(first, last))

    kept = DecidedItem(
        place=item.place,
        owner_key=ADA.owner_key,
        tool="greet",
        message="Refund?",
        approval=Approval(audience=FINANCE.but_me(), quorum=2, remind=HOUR),
        asked_at=NOON,
        decisions=(first, last),
        actor=actor,
    )
    assert inbox.decided(TENANT, item.id) == kept
    assert list(inbox.history(TENANT, FINANCE.key, before="", limit=2)) == [kept]
    assert store.response(ADA.owner_key, task.id, "refund") == resumed(first, last).responses["refund"]


def test_a_quorum_that_escalates_to_one_subject_is_of_both(store: TaskStore, inbox: Inbox, clock: FixedClock) -> None:
    carol = subject("carol")
    asked = replace(ASKED, approval=replace(TWO, escalate=after(HOUR, carol)))
    task = suspend(store, add(store, a_task(ttl=timedelta(days=3))), asked)
    clock.advance(HOUR)

    assert inbox.accept(TENANT, only(inbox, carol), decision("carol"))
    assert only(inbox, FINANCE).accepted == only(inbox, carol).accepted == (decision("carol"),)
    assert only(inbox, carol).approval == Approval(audience=carol.but_me(), quorum=2)
    both = [each.id for each in items_of(ADA.owner_key, task)]
    move(store, task, resumed(decision("carol"), decision("grace")), now=clock.now())
    kept = [inbox.decided(TENANT, each) for each in both]
    assert [each and (each.approval.quorum, len(each.decisions)) for each in kept] == [(2, 2), (2, 2)]


def test_a_decision_that_does_not_know_of_the_other_audiences_is_not_written(
    store: TaskStore, inbox: Inbox, task: Task, clock: FixedClock
) -> None:
    clock.advance(4 * HOUR)
    inbox.accept(TENANT, only(inbox, CFO), decision("grace"))

    with pytest.raises(StaleTask):
        move(store, task, resumed(decision("heidi", "decline")))

    assert store.read(ADA.owner_key, task.id) == task
    move(store, task, resumed(decision("grace"), decision("heidi", "decline")))
    assert [waiting(inbox, each) for each in (FINANCE, CFO)] == [[], []]


def test_what_is_over_before_its_time_is_nobody_elses(store: TaskStore, inbox: Inbox) -> None:
    short = replace(ASKED, timeout=4 * HOUR)
    task = suspend(store, add(store, a_task(ttl=timedelta(days=3))), short)

    (item,) = items_of(ADA.owner_key, task)
    assert item.ids == (item.id,)
    assert inbox.accept(TENANT, only(inbox, FINANCE), decision("grace"))
    move(store, task, resumed(decision("grace"), decision("heidi")))
    assert waiting(inbox, FINANCE) == []


def many(escalating: int) -> list[InputRequest]:
    """Return input requests that escalate, and as many others as may be open beside them."""
    of_one = Approval(audience=FINANCE, escalate=after(HOUR, subject("cy")))
    theirs = [replace(ASKED, key=f"a{number}", approval=of_one) for number in range(escalating)]
    return [*theirs, *(replace(COLOUR, key=f"c{number}") for number in range(MAX_INPUT_REQUESTS - escalating))]


def test_as_many_as_may_be_open_at_once_end_in_one_write(store: TaskStore, inbox: Inbox, clock: FixedClock) -> None:
    asked = many(MAX_APPROVALS // 2)
    check_size(asked)
    task = suspend(store, add(store, a_task()), *asked)
    accepted = InputResponse(result={"action": "accept"}, decisions=(decision("grace"),))

    move(store, task, Resumed(responses={each.key: accepted if each.approval else RED for each in asked}))

    clock.advance(2 * HOUR)
    assert [waiting(inbox, each) for each in (FINANCE, subject("cy"))] == [[], []]


def test_more_audiences_than_may_be_asked_at_once_are_refused() -> None:
    with pytest.raises(InputRequestsTooLarge, match="12 things at once, of which one that escalates is two"):
        check_size(many(MAX_APPROVALS // 2 + 1))
