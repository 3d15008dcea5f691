"""What nobody answers escalates: others may answer too, and are told."""

from datetime import timedelta

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.notifications import Occasion
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.approvals.people import ADA, BOB, FORM, GRACE, HEIDI, decide, inbox
from tests.approvals.test_history import history

CAROL = Caller(tenant="acme", subject="carol", roles=frozenset({"cfo"}))
BOTH = Caller(tenant="acme", subject="dan", roles=frozenset({"cfo", "finance"}))
RIVAL = Caller(tenant="rival", subject="carol", roles=frozenset({"cfo"}))
CFO_ADA = Caller(tenant="acme", subject="ada", roles=frozenset({"cfo"}))
SWEPT = {"minutes": BETWEEN_SWEEPS / timedelta(minutes=1)}


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_others_may_answer_after_a_time_and_the_first_still_may(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_higher")
    harness.advance(hours=3, minutes=59)
    assert inbox(harness, CAROL, revision) == []
    (waiting,) = inbox(harness, GRACE, revision)
    early = waiting["id"].replace("role:finance", "role:cfo")
    assert decide(harness, CAROL, revision, early, "accept", content=FORM).is_error

    harness.advance(minutes=1)

    (theirs,) = inbox(harness, CAROL, revision)
    assert inbox(harness, GRACE, revision) == [waiting]
    assert {name: theirs[name] for name in ("message", "deadline")} == {
        name: waiting[name] for name in ("message", "deadline")
    }
    for stranger in (RIVAL, BOB):
        assert inbox(harness, stranger, revision) == []
        assert decide(harness, stranger, revision, theirs["id"], "accept", content=FORM).is_error
    decide(harness, CAROL, revision, theirs["id"], "accept", content=FORM)
    assert task.wait().text == "Accepted 7 by carol"
    assert [inbox(harness, each, revision) for each in (GRACE, CAROL)] == [[], []]
    late = decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    assert late.text.startswith("carol has decided this already")
    decided = [[each["id"] for each in history(harness, who, revision)] for who in (GRACE, CAROL, BOTH)]
    assert decided[:2] == [[waiting["id"]], [theirs["id"]]]
    assert len(decided[2]) == 1, "whoever is of both is told once"


def test_an_answer_of_the_first_ends_it_for_the_others(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_higher")
    harness.advance(hours=5)
    (theirs,) = inbox(harness, CAROL, revision)
    (waiting,) = inbox(harness, GRACE, revision)

    decide(harness, GRACE, revision, waiting["id"], "decline")

    assert task.wait().text == "Declined by grace"
    assert inbox(harness, CAROL, revision) == []
    late = decide(harness, CAROL, revision, theirs["id"], "accept", content=FORM)
    assert late.text.startswith("grace has decided this already")


def test_a_quorum_is_of_both(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_higher", {"quorum": 2})
    status = "Waits for 2 answers of role finance, and after 4:00:00 of role cfo too."
    assert task.status_message == status
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    harness.advance(hours=5)

    (theirs,) = inbox(harness, CAROL, revision)
    assert theirs["accepted"] == 1
    decide(harness, CAROL, revision, theirs["id"], "accept", content=FORM)

    assert task.wait().text == "Accepted 7 by grace, carol"
    assert [inbox(harness, each, revision) for each in (HEIDI, CAROL)] == [[], []]


def test_who_is_of_both_is_shown_it_once_and_counts_once(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("ask_higher", {"quorum": 2})
    harness.advance(hours=5)
    (mine,) = inbox(harness, BOTH, revision)

    for audience in ("role:finance", "role:cfo"):
        place = mine["id"].rpartition("#")[2]
        again = decide(harness, BOTH, revision, f"{audience}#{place}", "accept", content=FORM)
        assert (again.structured["accepted"], again.structured["is_over"]) == (1, False)
    assert inbox(harness, BOTH, revision) == []


def test_the_asker_is_excluded_from_the_second_audience_too(harness: Harness, revision: str) -> None:
    task = harness.client(revision, CFO_ADA).start_task("ask_higher")
    harness.advance(hours=5)
    (theirs,) = inbox(harness, CAROL, revision)

    assert inbox(harness, CFO_ADA, revision) == []
    refused = decide(harness, CFO_ADA, revision, theirs["id"], "accept", content=FORM)

    assert refused.is_error
    assert task.status == "working"


def test_both_are_told_and_both_are_reminded_until_it_is_over(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_higher")
    harness.advance(hours=7, **SWEPT)

    told = [(each.occasion, each.audience.key) for each in harness.notifications]
    assert told == [
        (Occasion.REQUESTED, "role:finance"),
        (Occasion.REMINDED, "role:finance"),
        (Occasion.ESCALATED, "role:cfo"),
        (Occasion.REMINDED, "role:finance"),
        (Occasion.REMINDED, "role:cfo"),
    ]
    assert len({each.id for each in harness.notifications}) == 5
    (theirs,) = inbox(harness, CAROL, revision)
    assert harness.notifications[2].approval == theirs["id"]
    task.cancel()
    harness.advance(days=1)
    assert len(harness.notifications) == 5
    assert [inbox(harness, each, revision) for each in (GRACE, CAROL)] == [[], []]


def test_what_is_decided_before_its_time_is_never_the_others(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_higher")
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    assert task.wait().text == "Accepted 7 by grace"

    harness.advance(hours=9)

    assert [each.occasion for each in harness.notifications] == [Occasion.REQUESTED]
    assert inbox(harness, CAROL, revision) == []
    assert history(harness, CAROL, revision) == []
    assert [each["id"] for each in history(harness, GRACE, revision)] == [waiting["id"]]
