"""What a task asks of others, as items of their inboxes: who has which, from when, and until when."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.limits.tools import MAX_AUDIENCE_BYTES, MAX_SHOWN_CHARACTERS
from mcp_tasks.tasks.approvals import Approval, Audience, Decision, Escalation, Kind
from mcp_tasks.tasks.inbox import InboxItem, audience_of, decided_item, for_audience, items_of
from mcp_tasks.tasks.model import InputRequest, State, Task
from tests.kit import ADA, NOON, a_task

HOUR = timedelta(hours=1)
FINANCE = Audience(kind=Kind.ROLE, name="finance")
GRACE = Audience(kind=Kind.SUBJECT, name="grace")
LATER = Escalation(after=HOUR, audience=GRACE)
ESCALATES = Approval(audience=FINANCE, shown="# The report", escalate=LATER)


def asking(*approvals: Approval, timeout: timedelta = 3 * HOUR, **changes: Any) -> Task:
    """Return a task that asked these at noon."""
    asked = tuple(
        InputRequest(
            key=str(at), method="elicitation/create", params={"message": "Publish?"}, timeout=timeout, approval=each
        )
        for at, each in enumerate(approvals)
    )
    return a_task(state=State.INPUT_REQUIRED, ttl=4 * HOUR, requested_at=NOON, input_requests=asked, **changes)


def items(task: Task) -> list[InboxItem]:
    return list(items_of(ADA.owner_key, task))


def test_items_are_those_of_the_audiences_with_all_that_they_are_shown() -> None:
    first, second = items(task := asking(ESCALATES, actor={"sub": "agent"}))

    assert (first.approval.audience, first.escalates, first.opens_at) == (FINANCE, timedelta(), NOON)
    assert (second.approval.audience, second.escalates, second.opens_at) == (GRACE, HOUR, NOON + HOUR)
    for each in (first, second):
        assert (each.task_id, each.actor, each.deadline) == (task.id, {"sub": "agent"}, NOON + 3 * HOUR)
        assert (each.approval.shown, each.approval.escalate) == ("# The report", None)
        assert each.ids == (first.id, second.id)


def test_a_place_begins_with_the_time_and_is_another_for_each_request_task_and_caller() -> None:
    task = asking(Approval(audience=FINANCE), Approval(audience=FINANCE))
    places = [each.place for each in items(task)]

    assert {each.partition("-")[0] for each in places} == {f"{int(NOON.timestamp() * 1000):013d}"}
    others = [*items(replace(task, id="other")), *items_of("somebody else's", task)]
    assert len({*places, *(each.place for each in others)}) == 6
    assert [each.place for each in items(task)] == places


@pytest.mark.parametrize(
    ("timeout", "audiences"),
    [
        (HOUR + timedelta(seconds=1), [FINANCE, GRACE]),
        # Who would be asked at the deadline could not answer any more.
        (HOUR, [FINANCE]),
        (timedelta(), [FINANCE]),
    ],
)
def test_who_could_not_answer_before_the_deadline_is_not_asked(timeout: timedelta, audiences: list[Audience]) -> None:
    assert [each.approval.audience for each in items(asking(ESCALATES, timeout=timeout))] == audiences


@pytest.mark.parametrize(
    ("hours", "notices", "opened"),
    [
        (0, 0, (True, False)),
        (1, 0, (True, True)),
        (0, 1, (True, True)),
        (2.99, 0, (True, True)),
        (3, 1, (False, False)),
    ],
)
def test_an_item_is_open_from_its_time_or_from_when_somebody_was_told_until_the_deadline(
    hours: float, notices: int, opened: tuple[bool, bool]
) -> None:
    found = [replace(each, notices=notices).is_open(NOON + hours * HOUR) for each in items(asking(ESCALATES))]

    assert tuple(found) == opened


def test_what_is_kept_of_a_decided_item_lacks_what_was_shown() -> None:
    item, _ = items(asking(ESCALATES, actor={"sub": "agent"}))
    decisions = (Decision(subject="grace", at=NOON, action="accept", channel="inbox", digest=item.digest),)
    kept = decided_item(item, decisions)

    assert (kept.id, kept.actor, kept.decisions, kept.message) == (item.id, {"sub": "agent"}, decisions, "Publish?")
    assert kept.approval == Approval(audience=FINANCE)


def test_an_audience_is_found_by_its_key_with_the_time_from_which_it_is_asked() -> None:
    assert for_audience(ESCALATES, FINANCE.key) == (replace(ESCALATES, escalate=None), timedelta())
    assert for_audience(ESCALATES, GRACE.key) == (replace(ESCALATES, audience=GRACE, escalate=None), HOUR)
    with pytest.raises(ValueError, match=r"^$"):
        for_audience(ESCALATES, "role:other")


@pytest.mark.parametrize(
    ("first", "second", "excludes"),
    [(False, False, False), (True, False, True), (False, True, True), (True, True, True)],
)
def test_escalation_entitles_the_asker_to_nothing(first: bool, second: bool, excludes: bool) -> None:
    asked = Approval(
        audience=replace(FINANCE, not_asker=first),
        quorum=2,
        remind=HOUR,
        escalate=Escalation(after=HOUR, audience=replace(GRACE, not_asker=second)),
    )

    assert asked.audiences == (
        (timedelta(), replace(FINANCE, not_asker=first)),
        (HOUR, replace(GRACE, not_asker=excludes)),
    )
    assert [(each.approval, each.escalates) for each in items(asking(asked))] == [
        (Approval(audience=replace(FINANCE, not_asker=first), quorum=2, remind=HOUR), timedelta()),
        (Approval(audience=replace(GRACE, not_asker=excludes), quorum=2, remind=HOUR), HOUR),
    ]


@pytest.mark.parametrize(("item", "key"), [("role:finance#1-2", "role:finance"), ("a#b#1-2", "a#b"), ("a", "")])
def test_the_audience_of_an_id_is_what_comes_before_its_place(item: str, key: str) -> None:
    assert audience_of(item) == key


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Audience(kind=Kind.ROLE), "a role and a subject have a name, and anyone has none"),
        (lambda: Audience(kind=Kind.ANYONE, name="x"), "a role and a subject have a name, and anyone has none"),
        (
            lambda: Audience(kind=Kind.ROLE, name="x" * (MAX_AUDIENCE_BYTES - 4)),
            "the name of a role takes more than 512 bytes when quoted",
        ),
        (lambda: Escalation(after=timedelta(), audience=GRACE), "what escalates waits for some time before"),
        (
            lambda: Approval(audience=FINANCE, shown="x" * (MAX_SHOWN_CHARACTERS + 1)),
            "approvers are shown 20,000 characters at most",
        ),
    ],
)
def test_what_nobody_could_be_asked_is_an_error(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        make()


def test_the_longest_that_may_be_is_none() -> None:
    assert len(Audience(kind=Kind.ROLE, name="x" * (MAX_AUDIENCE_BYTES - 5)).key) == MAX_AUDIENCE_BYTES
    assert Approval(audience=FINANCE, shown="x" * MAX_SHOWN_CHARACTERS).shown
