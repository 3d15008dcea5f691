"""A quorum is of people who gave one answer, and the tool is told every decision."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.client import ToolResult
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import ADA, CANNOT_BE_ASKED, GRACE, HEIDI, decide, inbox

IVAN, JUDY = (replace(HEIDI, subject=name) for name in ("ivan", "judy"))


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Asked:
    """A payment of which two have to accept one amount."""

    def __init__(self, harness: Harness, revision: str) -> None:
        self.harness, self.revision = harness, revision
        client = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED)
        self.task = client.start_task("pay_in_detail", {"amount": 9})
        (waiting,) = inbox(harness, GRACE, revision)
        self.id = waiting["id"]

    def accept(self, caller: Caller, amount: Any, **more: Any) -> ToolResult:
        content = {"amount": amount, **more}
        return decide(self.harness, caller, self.revision, self.id, "accept", content=content)

    def shown_to(self, caller: Caller) -> Any:
        (waiting,) = inbox(self.harness, caller, self.revision)
        return waiting

    def told(self) -> Any:
        """Return what the tool was told."""
        return json.loads(self.task.wait().text)


def test_the_first_answer_that_as_many_gave_wins_and_the_tool_is_told_all(harness: Harness, revision: str) -> None:
    asked = Asked(harness, revision)

    assert asked.accept(GRACE, 7).text == "accept: noted, 1 of 2 have accepted."
    differ = "there are 2 different answers, of which one needs 2"
    other = asked.accept(HEIDI, 9)
    assert other.text == f"accept: noted, 1 of 2 have accepted; {differ}."
    assert (other.structured["accepted"], other.structured["answers"], other.structured["is_over"]) == (1, 2, False)
    assert asked.task.status == "working"
    shown = asked.shown_to(IVAN)
    assert (shown["accepted"], shown["answers"], shown["quorum"]) == (1, 2, 2)
    assert [each["subject"] for each in shown["decisions"]] == ["grace", "heidi"]
    assert "7" not in json.dumps(shown["decisions"]), "how others filled in the form is not shown"
    listed = harness.client(revision, IVAN, capabilities=CANNOT_BE_ASKED).call_tool("approval_list").text
    assert listed.splitlines()[0] == f"- {asked.id}: pay_in_detail asks role finance: Pay 9? ({differ})"

    last = asked.accept(IVAN, 7.0)

    assert (last.text, last.structured["accepted"], last.structured["is_over"]) == ("accept: noted.", 2, True)
    assert asked.told() == {
        "amount": 7,
        "by": ["grace", "ivan"],
        "decisions": [
            ["grace", "accept", {"amount": 7, "reason": ""}],
            ["heidi", "accept", {"amount": 9, "reason": ""}],
            ["ivan", "accept", {"amount": 7, "reason": ""}],
        ],
    }
    again = asked.accept(HEIDI, 9)
    assert (again.structured["accepted"], again.structured["is_over"]) == (2, True)


def test_a_field_that_is_left_out_is_its_default(harness: Harness, revision: str) -> None:
    asked = Asked(harness, revision)
    asked.accept(GRACE, 7)

    assert asked.accept(HEIDI, 7, reason="").structured["is_over"]
    assert asked.told()["by"] == ["grace", "heidi"]


def test_who_declines_ends_it_for_all_whatever_they_answered(harness: Harness, revision: str) -> None:
    asked = Asked(harness, revision)
    asked.accept(GRACE, 7)
    asked.accept(HEIDI, 9)

    declined = decide(harness, IVAN, revision, asked.id, "decline")

    assert (declined.structured["accepted"], declined.structured["is_over"]) == (1, True)
    assert decide(harness, IVAN, revision, asked.id, "decline").structured["accepted"] == 1
    told = asked.told()
    assert (told["by"], [each[:2] for each in told["decisions"]]) == (
        ["ivan"],
        [["grace", "accept"], ["heidi", "accept"], ["ivan", "decline"]],
    )


def test_an_answer_is_given_once(harness: Harness, revision: str) -> None:
    asked = Asked(harness, revision)
    asked.accept(GRACE, 7)
    asked.accept(HEIDI, 9)

    again = asked.accept(HEIDI, 7)

    assert again.text.startswith("accept: you had decided so before, and nothing of that has changed")
    assert (again.structured["accepted"], again.structured["is_over"]) == (1, False)
    assert asked.accept(JUDY, 9).structured["is_over"]
    assert asked.told()["amount"] == 9


def test_answers_that_are_too_large_to_be_kept_until_others_agree_are_refused(harness: Harness, revision: str) -> None:
    asked = Asked(harness, revision)

    refused = asked.accept(GRACE, 7, reason="x" * 100_000)

    assert refused.is_error
    assert refused.text.startswith("This decision does not fit: with all that was accepted so far it takes 100,")
    assert refused.text.endswith("characters, of 100,000 at most.")
    assert asked.shown_to(GRACE)["accepted"] == 0
