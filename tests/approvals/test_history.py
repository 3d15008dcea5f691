"""Who may decide sees who has accepted so far, and for a day what was decided; nobody else sees either."""

from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import ADA, BOB, CANNOT_BE_ASKED, FINANCIAL_ADA, FORM, GRACE, HEIDI, MALLORY, decide, inbox
from tests.attacks.identities import STRANGERS

ANONYMOUS = Caller(tenant="anonymous", subject="anonymous", identified=False)


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def history(harness: Harness, caller: Caller, revision: str) -> list[Any]:
    """Return all that somebody is told of what was decided, page by page."""
    client = harness.client(revision, caller, capabilities=CANNOT_BE_ASKED)
    found: list[Any] = []
    given: dict[str, Any] = {"state": "decided"}
    while True:
        page = client.call_tool("approval_list", given).structured
        found += page["approvals"]
        if page["next_cursor"] is None:
            return found
        given["cursor"] = page["next_cursor"]


def decided(harness: Harness, asker: Caller, revision: str, *, by: Caller, action: str = "accept") -> str:
    """Have a refund decided, and return its id."""
    harness.client(revision, asker, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    waiting = inbox(harness, by, revision)[-1]
    form = {"content": FORM} if action == "accept" else {}
    assert not decide(harness, by, revision, waiting["id"], action, **form).is_error
    return str(waiting["id"])


def test_who_accepted_so_far_is_told_to_those_who_decide(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, HEIDI, revision)
    assert waiting["decisions"] == []
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)

    (waiting,) = inbox(harness, HEIDI, revision)

    at = waiting["asked_at"]
    assert waiting["decisions"] == [{"subject": "grace", "action": "accept", "at": at, "channel": "approval_decide"}]
    assert history(harness, HEIDI, revision) == []


def test_what_was_decided_is_told_without_form_and_text(harness: Harness, revision: str) -> None:
    item = decided(harness, ADA, revision, by=GRACE)

    (told,) = history(harness, HEIDI, revision)

    at = told.pop("asked_at")
    assert told == {
        "id": item,
        "tool": "refund",
        "message": "Refund order A7?",
        "quorum": 1,
        "for": "role finance",
        "outcome": "accept",
        "decided_at": at,
        "decisions": [{"subject": "grace", "action": "accept", "at": at, "channel": "approval_decide"}],
    }


def test_all_who_decided_are_told_the_last_one_last(harness: Harness, revision: str) -> None:
    harness.client(revision, ADA).start_task("pay", {"amount": 9})
    (waiting,) = inbox(harness, GRACE, revision)
    decide(harness, GRACE, revision, waiting["id"], "accept", content=FORM)
    harness.advance(minutes=5)
    decide(harness, HEIDI, revision, waiting["id"], "decline")

    (told,) = history(harness, GRACE, revision)

    assert [(each["subject"], each["action"]) for each in told["decisions"]] == [
        ("grace", "accept"),
        ("heidi", "decline"),
    ]
    assert (told["outcome"], told["decided_at"]) == ("decline", told["decisions"][-1]["at"])
    assert told["decided_at"] > told["decisions"][0]["at"]


def test_the_channel_and_who_acted_are_told(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA).start_task("ask_anyone")
    (request,) = task.input_requests
    request.accept(amount=3)
    agent = Caller(tenant="acme", subject="grace", roles=GRACE.roles, actor={"sub": "agent", "email": "a@example.com"})
    decided(harness, ADA, revision, by=agent)

    by_agent, by_client = (each["decisions"][-1] for each in history(harness, GRACE, revision))

    assert by_agent.pop("at") > by_client.pop("at")
    assert by_agent == {"subject": "grace", "action": "accept", "channel": "approval_decide", "actor": "agent"}
    assert by_client == {"subject": "ada", "action": "accept", "channel": "client"}


def test_others_are_told_nothing_of_it(harness: Harness, revision: str) -> None:
    decided(harness, FINANCIAL_ADA, revision, by=GRACE)
    others = {"the asker, of finance": FINANCIAL_ADA, "another role": BOB, "another tenant": MALLORY, **STRANGERS}

    told = {what: history(harness, each, revision) for what, each in others.items()}

    assert {what: each for what, each in told.items() if each} == {}
    assert len(told) > 70
    assert len(history(harness, HEIDI, revision)) == 1


def test_an_id_shows_that_approval_alone(harness: Harness, revision: str) -> None:
    first, second = (decided(harness, ADA, revision, by=GRACE, action=each) for each in ("accept", "decline"))
    client = harness.client(revision, HEIDI, capabilities=CANNOT_BE_ASKED)

    page = client.call_tool("approval_list", {"state": "decided", "id": first}).structured

    assert [(each["id"], each["outcome"]) for each in page["approvals"]] == [(first, "accept")]
    assert page["next_cursor"] is None
    assert len({first, second}) == 2


def test_an_id_of_nothing_decided_is_refused_as_one_that_never_existed(harness: Harness, revision: str) -> None:
    item = decided(harness, FINANCIAL_ADA, revision, by=GRACE)
    harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A8"})
    (waiting,) = inbox(harness, HEIDI, revision)
    tried = {"the asker, of finance": (FINANCIAL_ADA, item), "it waits": (HEIDI, waiting["id"])}
    for name, caller in {"another role": BOB, "another tenant": MALLORY, "nobody": ANONYMOUS, **STRANGERS}.items():
        tried[name] = caller, item

    for name, (caller, item_id) in tried.items():
        told = harness.client(revision, caller, capabilities=CANNOT_BE_ASKED).call_tool(
            "approval_list", {"state": "decided", "id": item_id}
        )
        assert (name, told.is_error, told.text) == (
            name,
            True,
            f"Nothing '{item_id}' that you may decide was decided in the last day; "
            "approval_list with the state decided and no id lists what was.",
        )


def test_an_agent_of_the_asker_is_the_asker(harness: Harness, revision: str) -> None:
    decided(harness, ADA, revision, by=GRACE)
    agent = Caller(tenant="acme", subject="heidi", roles=HEIDI.roles, actor={"sub": "ada"})

    assert history(harness, agent, revision) == []


def test_who_cannot_be_told_apart_is_told_nothing(harness: Harness, revision: str) -> None:
    decided(harness, ADA, revision, by=GRACE)

    assert history(harness, ANONYMOUS, revision) == []


def test_it_is_told_for_a_day(harness: Harness, revision: str) -> None:
    decided(harness, ADA, revision, by=GRACE, action="decline")
    harness.advance(hours=23)
    assert len(history(harness, HEIDI, revision)) == 1

    harness.advance(hours=1)

    assert history(harness, HEIDI, revision) == []


def test_pages_of_a_history_neither_repeat_nor_skip(harness: Harness, revision: str) -> None:
    client = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED)
    for number in range(45):
        client.start_task("refund" if number % 3 else "begin", {"order": str(number)} if number % 3 else {})
    for each in inbox(harness, GRACE, revision):
        decide(harness, GRACE, revision, each["id"], "decline")

    found = history(harness, HEIDI, revision)

    assert len({each["id"] for each in found}) == len(found) == 45
    assert [each["asked_at"] for each in found] == sorted((each["asked_at"] for each in found), reverse=True)


@pytest.mark.parametrize(
    "given", [{"state": "all"}, {"state": None}, {"state": ["decided"]}, {"state": "decided", "cursor": "x"}]
)
def test_what_no_page_has_is_refused(harness: Harness, revision: str, given: dict[str, Any]) -> None:
    assert harness.client(revision, GRACE).call_tool("approval_list", given).is_error
