"""A refund that ada asks for is decided by somebody of finance, and never by ada, in each revision."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import (
    ADA,
    BOB,
    CANNOT_BE_ASKED,
    FINANCIAL_ADA,
    FORM,
    GRACE,
    HEIDI,
    MALLORY,
    decide,
    inbox,
    listed,
)


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("asker", [ADA, FINANCIAL_ADA], ids=["no role", "of finance herself"])
def test_a_refund_of_a_client_that_cannot_be_asked_is_decided_by_somebody_else(
    harness: Harness, revision: str, asker: object
) -> None:
    client: Client = harness.client(revision, asker, capabilities=CANNOT_BE_ASKED)  # type: ignore[arg-type]
    task = client.start_task("refund", {"order": "A7"})

    assert (task.status, task.status_message) == ("working", "Waits for an answer of role finance.")
    assert listed(client) == []
    (waiting,) = inbox(harness, GRACE, revision)
    refused = client.call_tool("approval_decide", {"id": waiting["id"], "action": "accept", "content": FORM})
    assert refused.is_error
    assert ("You asked this yourself" in refused.text) is (asker is FINANCIAL_ADA)
    assert task.status == "working"

    decided = decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)

    assert not decided.is_error
    assert decided.structured["is_over"]
    assert task.wait().text == "Accepted 7 by grace"
    assert inbox(harness, GRACE, revision) == []


@pytest.mark.parametrize(
    ("tool", "given"),
    [("approval_decide", {"action": "accept", "contents": {"amount": 9}}), ("approval_link", {"hour": 1})],
)
def test_a_misspelt_argument_of_what_lasts_is_refused_and_the_schema_says_so(
    harness: Harness, revision: str, tool: str, given: dict[str, Any]
) -> None:
    harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    grace = harness.client(revision, GRACE, capabilities=CANNOT_BE_ASKED)

    refused = grace.call_tool(tool, {"id": waiting["id"], **given})

    assert refused.is_error
    assert refused.text.startswith(f"{tool} was called with wrong arguments: give id, a string, ")
    assert refused.text.endswith(", and nothing else")
    schemas = {each["name"]: each["inputSchema"] for each in grace.request("tools/list", {})["tools"]}
    assert schemas[tool]["additionalProperties"] is False
    assert inbox(harness, GRACE, revision) == [waiting]


def test_arguments_that_a_host_adds_are_ignored_by_a_list(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    grace = harness.client(revision, GRACE, capabilities=CANNOT_BE_ASKED)

    found = grace.call_tool("approval_list", {"sessionId": "s", "action": "sendMessage", "toolCallId": "call_1"})

    assert found.structured["approvals"] == inbox(harness, GRACE, revision) != []
    schemas = {each["name"]: each["inputSchema"] for each in grace.request("tools/list", {})["tools"]}
    assert "additionalProperties" not in schemas["approval_list"]


@pytest.mark.parametrize("how", ["approval_decide", "approval_list"])
def test_an_asker_is_not_told_who_has_decided_either(harness: Harness, revision: str, how: str) -> None:
    client = harness.client(revision, FINANCIAL_ADA, capabilities=CANNOT_BE_ASKED)
    client.start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "decline")
    given = {"id": waiting["id"], **({"action": "decline"} if how == "approval_decide" else {})}

    refused = client.call_tool(how, given)

    assert refused.is_error
    assert refused.text.startswith("You asked this yourself")


def test_approvers_are_shown_the_question_and_nothing_else_of_the_task(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})

    (waiting,) = inbox(harness, GRACE, revision)

    assert {name: waiting[name] for name in ("tool", "message", "shown", "quorum", "accepted", "for")} == {
        "tool": "refund",
        "message": "Refund order A7?",
        "shown": "# Order A7\n\nPaid on Monday.",
        "quorum": 1,
        "accepted": 0,
        "for": "role finance",
    }
    assert waiting["form"]["properties"].keys() == {"amount", "reason"}
    assert waiting["asked_at"] < waiting["deadline"]
    assert waiting.keys() == {
        "id", "tool", "message", "form", "shown", "asked_at", "deadline", "quorum", "accepted", "for",
        "decisions",
    }  # fmt: skip
    assert task.id not in str(waiting)


@pytest.mark.parametrize("stranger", [BOB, MALLORY], ids=["another role", "another tenant"])
def test_what_others_decide_looks_like_nothing(harness: Harness, revision: str, stranger: object) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    unknown = f"{waiting['id'][:-1]}{'0' if waiting['id'][-1] != '0' else '1'}"

    known, none = (
        decide(harness, stranger, revision, each, "accept", content=FORM)  # type: ignore[arg-type]
        for each in (waiting["id"], unknown)
    )

    assert inbox(harness, stranger, revision) == []  # type: ignore[arg-type]
    assert known.is_error
    assert known.text.replace(waiting["id"], "ID") == none.text.replace(unknown, "ID")
    assert task.status == "working"


def test_who_comes_second_is_told_who_decided(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "decline")

    late = decide(harness, HEIDI, revision, waiting["id"], "accept", content=FORM)
    again = decide(harness, GRACE, revision, waiting["id"], "decline")
    otherwise = decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)

    assert late.is_error
    assert late.text.startswith("grace has decided this already, at 20")
    assert late.text.endswith(": decline.")
    assert not again.is_error
    assert again.text == "decline: you had decided so before, and nothing of that has changed."
    assert otherwise.is_error
    assert task.wait().text == "Declined by grace"


def test_a_decision_that_does_not_fit_the_form_leaves_it_open(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)

    unfit = decide(harness, GRACE, revision, waiting["id"], "accept", content={"amount": "much"})

    assert unfit.is_error
    assert "amount" in unfit.text
    assert len(inbox(harness, GRACE, revision)) == 1
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    assert task.wait().text == "Accepted 7 by grace"
    assert task.result.text == "Accepted 7 by grace"


def test_whoever_acts_for_the_asker_is_the_asker(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    through_ada = replace(GRACE, actor={"sub": "agent", "act": {"sub": "ada"}})

    assert inbox(harness, through_ada, revision) == []
    refused = decide(harness, through_ada, revision, waiting["id"], "accept", content=FORM)
    assert "You asked this yourself" in refused.text


def test_a_task_that_is_cancelled_asks_nobody_any_more(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)

    task.cancel()

    assert inbox(harness, GRACE, revision) == []
    over = decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    assert over.text.startswith("Nothing '")
