"""When people are told of what waits for them: the first time, again, and once it escalates."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.limits.tools import MAX_REMINDERS
from mcp_tasks.limits.waits import BETWEEN_CHECKS_SUSPENDED, KEPT
from mcp_tasks.tasks.approvals import Approval, Audience, Escalation, Kind
from mcp_tasks.tasks.inbox import InboxItem, items_of
from mcp_tasks.tasks.model import InputRequest, State, Task
from mcp_tasks.tasks.notifications import Occasion, first_check, next_notice, notices_due, notification_of
from tests.kit import ADA, NOON, a_task

HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)
FINANCE = Audience(kind=Kind.ROLE, name="finance")
GRACE = Audience(kind=Kind.SUBJECT, name="grace")


def asking(
    remind: float | None = None, escalate: float | None = None, timeout: float | None = None, ttl: timedelta = WEEK
) -> Task:
    """Return a task that asked for an approval at noon; all times are hours."""
    later = None if escalate is None else Escalation(after=escalate * HOUR, audience=GRACE)
    approval = Approval(audience=FINANCE, remind=None if remind is None else remind * HOUR, escalate=later)
    asked = InputRequest(
        key="publish",
        method="elicitation/create",
        params={"message": "Publish?"},
        timeout=None if timeout is None else timeout * HOUR,
        approval=approval,
    )
    return a_task(ttl=ttl, state=State.INPUT_REQUIRED, requested_at=NOON, input_requests=(asked,))


def items(task: Task) -> list[InboxItem]:
    return list(items_of(ADA.owner_key, task))


@pytest.mark.parametrize(
    ("task", "hours", "following"),
    [
        (asking(), 0, None),
        (asking(remind=1), 0, 1),
        (asking(remind=1), 0.9, 1),
        (asking(remind=1), 1, 2),
        (asking(remind=1), MAX_REMINDERS - 1, MAX_REMINDERS),
        (asking(remind=1), MAX_REMINDERS, None),
        (asking(remind=1, timeout=2.5), 1, 2),
        (asking(remind=1, timeout=2), 1, None),
        (asking(remind=1, timeout=1.5), 1, None),
        (asking(escalate=2), 0, 2),
        (asking(escalate=2), 2, None),
        # The first audience is reminded each hour from noon on, the other one from when it is asked.
        (asking(remind=1, escalate=0.5), 0, 0.5),
        (asking(remind=1, escalate=0.5), 0.5, 1),
        (asking(remind=1, escalate=0.5), 1, 1.5),
    ],
)
def test_when_somebody_is_told_next(task: Task, hours: float, following: float | None) -> None:
    found = next_notice(ADA.owner_key, task, NOON + hours * HOUR)

    assert found == (None if following is None else NOON + following * HOUR)


@pytest.mark.parametrize(("hours", "due"), [(0, (0, 0)), (1.9, (1, 0)), (2, (2, 1)), (3, (3, 2)), (100, (20, 21))])
def test_how_often_an_audience_is_to_have_been_told(hours: float, due: tuple[int, int]) -> None:
    found = [notices_due(each, NOON + hours * HOUR) for each in items(asking(remind=1, escalate=2))]

    assert tuple(found) == due


@pytest.mark.parametrize(
    ("task", "check"),
    [
        (asking(), None),
        (asking(remind=1), NOON + HOUR),
        (asking(remind=30), NOON + BETWEEN_CHECKS_SUSPENDED),
        # Even in the last minute before the deadline.
        (asking(escalate=1 - 1 / 120, ttl=HOUR + KEPT), NOON + HOUR - timedelta(seconds=30)),
    ],
)
def test_a_suspended_task_is_checked_when_somebody_is_to_be_told(task: Task, check: object) -> None:
    assert first_check(ADA.owner_key, task) == check


@pytest.mark.parametrize(
    ("escalated", "before", "after", "occasion"),
    [
        (False, None, 0, Occasion.REQUESTED),
        (False, 0, 0, None),
        (False, 0, 1, Occasion.REMINDED),
        (False, 1, 1, None),
        (False, 2, 1, None),
        (True, None, 0, None),
        (True, 0, 1, Occasion.ESCALATED),
        (True, 1, 2, Occasion.REMINDED),
    ],
)
def test_what_an_audience_is_told_when_it_is_to_have_been_told_more_often(
    escalated: bool, before: int | None, after: int, occasion: Occasion | None
) -> None:
    item = items(asking(remind=1, escalate=2))[escalated]
    had = None if before is None else replace(item, notices=before)

    told = notification_of(ADA.tenant, had, replace(item, notices=after))

    assert (told and told.occasion) == occasion


def test_a_notification_has_an_id_of_32_letters_that_is_another_for_each_time() -> None:
    (item,) = items(asking(remind=1))
    told = [notification_of(ADA.tenant, item, replace(item, notices=each)) for each in (1, 1, 2)]
    first, again, second = (each.id if each else "" for each in told)

    assert first == again != second
    assert len(first) == 32
