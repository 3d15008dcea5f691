"""Whom a tool may ask, and when the caller's own client is asked too."""

from typing import Any

import pytest

from mcp_tasks.testing.client import RESPONDS
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals import sample_tools
from tests.approvals.people import ADA, BOB, CANNOT_BE_ASKED, FINANCIAL_ADA, FORM, GRACE, HEIDI, decide, inbox


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_quorum_is_of_different_people(harness: Harness, revision: str) -> None:
    task = harness.client(revision, FINANCIAL_ADA).start_task("pay", {"amount": 9})
    assert (task.status, task.status_message) == ("working", "Waits for 2 answers of role finance.")
    (waiting,) = inbox(harness, GRACE, revision)

    first = decide(harness, GRACE, revision, waiting["id"], "accept", content={"amount": 8})
    again = decide(harness, GRACE, revision, waiting["id"], "accept", content={"amount": 9})

    assert first.text == "accept: noted, 1 of 2 have accepted."
    assert again.text == "accept: you had decided so before, and nothing of that has changed, 1 of 2 have accepted."
    for each in (first, again):
        assert {name: each.structured[name] for name in ("accepted", "quorum", "is_over")} == {
            "accepted": 1,
            "quorum": 2,
            "is_over": False,
        }
    assert [each["accepted"] for each in inbox(harness, HEIDI, revision)] == [1]
    assert inbox(harness, GRACE, revision) == []
    assert task.status == "working"
    decide(harness, FINANCIAL_ADA, revision, waiting["id"], "accept", content={"amount": 8})
    assert task.wait().text == "Accepted 8 by grace, ada"


def test_one_who_declines_does_so_for_all(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)

    decide(harness, HEIDI, revision, waiting["id"], "decline")

    assert task.wait().text == "Declined by heidi"


def test_a_caller_who_may_answer_is_asked_by_its_client_too(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_anyone")
    assert task.status == "input_required"
    (waiting,) = inbox(harness, BOB, revision)

    (request,) = task.input_requests
    assert request.message == "Who is there?"
    request.accept(amount=3)

    assert task.wait().text == "Accepted 3 by ada"
    late = decide(harness, BOB, revision, waiting["id"], "decline")
    assert late.text.startswith("ada has decided this already")


def test_others_may_be_faster_than_the_callers_client(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_anyone")
    (request,) = task.input_requests
    (waiting,) = inbox(harness, BOB, revision)

    decide(harness, BOB, revision, waiting["id"], "accept", content=FORM)
    request.accept(amount=3)

    assert task.wait().text == "Accepted 7 by bob"


def test_of_two_requests_the_client_is_asked_its_own(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_both")
    assert (task.status, task.status_message) == ("input_required", "Yours?")
    (request,) = task.input_requests
    request.accept(amount=1)
    assert task.status_message == "Waits for an answer of anyone."
    (waiting,) = inbox(harness, BOB, revision)

    decide(harness, BOB, revision, waiting["id"], "accept", content={"amount": 2})

    assert task.wait().text == "Accepted 1 by nobody; Accepted 2 by bob"


def test_one_subject_is_asked_until_the_deadline(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("ask_grace")
    assert task.status_message == "Waits for an answer of grace."
    assert (len(inbox(harness, GRACE, revision)), inbox(harness, HEIDI, revision)) == (1, [])
    (waiting,) = inbox(harness, GRACE, revision)

    harness.advance(hours=1)

    assert inbox(harness, GRACE, revision) == []
    assert decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM).is_error
    assert task.wait().text == "Nobody answered."


@pytest.mark.parametrize("capabilities", [CANNOT_BE_ASKED, RESPONDS], ids=["cannot be asked", "can"])
def test_a_call_that_asks_others_becomes_a_task(harness: Harness, revision: str, capabilities: Any) -> None:
    task = harness.client(revision, ADA, capabilities=capabilities).start_task("begin")
    (waiting,) = inbox(harness, GRACE, revision)

    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)

    assert task.wait().text == "Accepted 7 by grace"
    assert sample_tools.RUNS[-2:] == ["within a task", "within a task"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("never", "only a task can wait for others"), ("undeclared", "declare it with @tool(approvals=True)")],
)
def test_who_cannot_ask_others_is_told_why(harness: Harness, revision: str, name: str, says: str) -> None:
    result = harness.client(revision, ADA, tasks=False).call_tool(name)

    assert result.is_error
    assert says in result.text
    assert inbox(harness, GRACE, revision) == []


def test_pages_of_an_inbox_neither_repeat_nor_skip(harness: Harness, revision: str) -> None:
    client = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED)
    for number in range(45):
        client.start_task("refund" if number % 3 else "ask_anyone", {"order": str(number)} if number % 3 else {})

    found = inbox(harness, GRACE, revision)

    assert len({each["id"] for each in found}) == len(found) == 45
    assert [each["asked_at"] for each in found] == sorted(each["asked_at"] for each in found)
