"""One agent with the tokens of two people is one: it neither passes four eyes nor fills a quorum by itself."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import ADA, CANNOT_BE_ASKED, FORM, GRACE, HEIDI, decide, inbox

AGENT: dict[str, Any] = {"sub": "assistant", "iss": "https://agents.test"}
DEEP: dict[str, Any] = {"sub": "tool", "act": {"sub": "planner", "act": {"sub": "assistant"}}}
ELSEWHERE: dict[str, Any] = {"sub": "assistant", "iss": "https://other.test"}
CONSOLE = "decide it yourself in the console, where nobody acts for you."


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def through(caller: Caller, actor: Any) -> Caller:
    return replace(caller, actor=actor)


@pytest.mark.parametrize("asked_by", [AGENT, DEEP], ids=["the agent", "an agent behind two"])
@pytest.mark.parametrize("decided_by", [AGENT, DEEP, ELSEWHERE], ids=["the agent", "behind two", "of another issuer"])
def test_an_agent_that_asked_decides_for_nobody(
    harness: Harness, revision: str, asked_by: Any, decided_by: Any
) -> None:
    asker = harness.client(revision, through(ADA, asked_by), capabilities=CANNOT_BE_ASKED)
    task = asker.start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    agent = through(GRACE, decided_by)

    assert inbox(harness, agent, revision) == []
    for action in ("accept", "decline"):
        refused = decide(harness, agent, revision, waiting["id"], action, content=FORM)
        assert refused.is_error
        assert refused.text == f"You asked this yourself, through who acts for you now, too: {CONSOLE}"
    assert task.status == "working"

    assert not decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM).is_error
    assert task.wait().text == "Accepted 7 by grace"


def test_another_agent_decides_and_an_oauth_client_is_nobody(harness: Harness, revision: str) -> None:
    asker = replace(through(ADA, AGENT), client_id="desk")
    task = harness.client(revision, asker, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    other = replace(through(GRACE, {"sub": "helper", "client_id": "assistant", "azp": "assistant"}), client_id="desk")

    (waiting,) = inbox(harness, other, revision)
    assert not decide(harness, other, revision, waiting["id"], "accept", content=FORM).is_error
    assert task.wait().text == "Accepted 7 by grace"


def test_who_acted_for_the_asker_is_not_sent_to_the_console(harness: Harness, revision: str) -> None:
    asker = harness.client(revision, through(ADA, {"sub": "grace"}), capabilities=CANNOT_BE_ASKED)
    asker.start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, HEIDI, revision)

    for caller in (GRACE, through(GRACE, AGENT)):
        refused = decide(harness, caller, revision, waiting["id"], "accept", content=FORM)
        assert refused.text == "You asked this yourself: somebody else has to decide it."


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (AGENT, AGENT, f"Who acts for you has accepted this for somebody else: {CONSOLE}"),
        (AGENT, ELSEWHERE, f"Who acts for you has accepted this for somebody else: {CONSOLE}"),
        (AGENT, DEEP, f"Who acts for you has accepted this for somebody else: {CONSOLE}"),
        (DEEP, AGENT, f"Who acts for you has accepted this for somebody else: {CONSOLE}"),
        (None, {"sub": "grace"}, f"Who acts for you has accepted this for somebody else: {CONSOLE}"),
        (
            {"sub": "heidi"},
            None,
            "You have accepted this for somebody else: another person has to accept it.",
        ),
    ],
    ids=["the agent twice", "of two issuers", "behind two", "before two", "as her own actor", "as the other's actor"],
)
def test_one_agent_does_not_fill_a_quorum(harness: Harness, revision: str, first: Any, second: Any, says: str) -> None:
    task = harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, through(GRACE, first), revision, waiting["id"], "accept", content=FORM)
    agent = through(HEIDI, second)

    assert inbox(harness, agent, revision) == []
    refused = decide(harness, agent, revision, waiting["id"], "accept", content=FORM)
    assert (refused.is_error, refused.text) == (True, says)
    assert task.status == "working"

    ivan = replace(HEIDI, subject="ivan")
    assert decide(harness, ivan, revision, waiting["id"], "accept", content=FORM).structured["is_over"]
    assert task.wait().text == "Accepted 7 by grace, ivan"


def test_one_agent_may_decline_what_it_accepted_for_another(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, through(GRACE, AGENT), revision, waiting["id"], "accept", content=FORM)

    assert decide(harness, through(HEIDI, AGENT), revision, waiting["id"], "decline").structured["is_over"]
    assert task.wait().text == "Declined by heidi"


def test_all_who_acted_are_told_in_order(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, through(GRACE, DEEP), revision, waiting["id"], "accept", content=FORM)

    (told,) = inbox(harness, HEIDI, revision)

    (decision,) = told["decisions"]
    assert (decision["actor"], decision["actors"]) == ("tool", ["tool", "planner", "assistant"])
