"""People are told again of what waits for them, until it is over."""

from collections import Counter
from datetime import timedelta

import pytest

from mcp_tasks.limits.tools import MAX_REMINDERS
from mcp_tasks.tasks.notifications import Occasion
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.approvals.people import ADA, FORM, GRACE, HEIDI, decide, inbox

SWEPT = {"minutes": BETWEEN_SWEEPS / timedelta(minutes=1)}
"""A reminder comes by the next sweep."""


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def told(harness: Harness) -> list[Occasion]:
    """Return on which occasions people were told, in order; nobody was told anything twice."""
    ids = Counter(each.id for each in harness.notifications)
    assert not [each for each, times in ids.items() if times > 1]
    return [each.occasion for each in harness.notifications]


def test_people_are_told_again_each_time_and_no_more_once_it_is_decided(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_again", {"every": 60})
    harness.advance(**SWEPT)
    assert told(harness) == [Occasion.REQUESTED]
    for hour in range(1, 5):
        harness.advance(minutes=50)
        assert len(told(harness)) == hour
        harness.advance(minutes=10)
        assert told(harness) == [Occasion.REQUESTED, *[Occasion.REMINDED] * hour]
    (waiting,) = inbox(harness, GRACE, revision)
    assert {each.approval for each in harness.notifications} == {waiting["id"]}

    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    harness.advance(days=1)

    assert task.wait().text == "Accepted 7 by grace"
    assert len(told(harness)) == 5


def test_one_who_accepts_of_two_does_not_end_the_reminders(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_again", {"every": 60, "quorum": 2})
    harness.advance(hours=1, **SWEPT)
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    harness.advance(hours=1)
    assert told(harness) == [Occasion.REQUESTED, Occasion.REMINDED, Occasion.REMINDED]

    decide(harness, HEIDI, revision, waiting["id"], "accept", content=FORM)
    harness.advance(hours=5)

    assert task.wait().text == "Accepted 7 by grace, heidi"
    assert len(told(harness)) == 3


def test_reminders_have_an_end(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("ask_again", {"every": 60})
    harness.advance(hours=47)

    assert told(harness) == [Occasion.REQUESTED, *[Occasion.REMINDED] * MAX_REMINDERS]


def test_there_are_none_at_a_deadline_and_after_it(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_again", {"every": 24 * 60})
    harness.advance(hours=47)
    assert told(harness) == [Occasion.REQUESTED, Occasion.REMINDED]

    harness.advance(hours=20)

    assert task.wait().text == "Nobody answered."
    assert len(told(harness)) == 2
    assert inbox(harness, GRACE, revision) == []


def test_a_task_that_is_cancelled_reminds_nobody(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_again", {"every": 60})
    harness.advance(hours=1, **SWEPT)
    assert len(told(harness)) == 2

    task.cancel()
    harness.advance(hours=5)

    assert len(told(harness)) == 2
    assert inbox(harness, GRACE, revision) == []
