"""People are told that something waits for them."""

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.notifications import Notification, Occasion
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import ADA, FORM, GRACE, decide, inbox


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def told(harness: Harness) -> list[tuple[Occasion, str]]:
    """Return on which occasions audiences were told, in order."""
    return [(each.occasion, each.audience.key) for each in harness.notifications]


def test_an_audience_is_told_once_of_what_waits_for_it(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("refund", {"order": "A7"})
    harness.advance(hours=3)
    (waiting,) = inbox(harness, GRACE, revision)

    (notification,) = harness.notifications
    assert (notification.occasion, notification.audience.key) == (Occasion.REQUESTED, "role:finance")
    assert (notification.tenant, notification.approval) == ("acme", waiting["id"])
    assert notification.due.isoformat() == waiting["deadline"]
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    task.wait()
    assert told(harness) == [(Occasion.REQUESTED, "role:finance")]


def test_each_of_two_who_are_asked_is_told_of_what_waits_for_it(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("ask_both")
    harness.run_until_idle()

    assert told(harness) == [(Occasion.REQUESTED, "anyone")]


def test_nobody_is_told_of_what_only_the_caller_may_answer(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("ask_me")
    harness.advance(hours=1)

    assert told(harness) == []


def test_what_is_told_has_nothing_of_the_task(harness: Harness, revision: str) -> None:
    asker = Caller(tenant="Öl & Gas", subject="walter")
    task = harness.client(revision, asker).start_task("refund", {"order": "A7"})
    harness.run_until_idle()

    (notification,) = harness.notifications
    assert isinstance(notification, Notification)
    assert notification.tenant == "Öl & Gas"
    for secret in ("walter", "A7", "Monday", task.id):
        assert secret not in str(notification)
