"""Who may answer in place of a caller: what names an audience, and who belongs to it."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Caller, after, anyone, anyone_but_me, role, subject
from mcp_tasks.engine.entitlement import audiences_of, entitles, has_accepted, is_asker
from mcp_tasks.limits.requests import MAX_ACTORS
from mcp_tasks.run_host.reading import INPUT_REQUESTS
from mcp_tasks.run_host.shapes import Unfit
from mcp_tasks.tasks.approvals import Approval, Audience, Decision
from mcp_tasks.tasks.documents import document_of_request, document_of_response, input_request_of, response_of
from mcp_tasks.tasks.model import InputRequest, InputResponse
from tests.kit import ADA, BOB, NOON

FORM = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
PARAMS = {"mode": "form", "message": "Refund?", "requestedSchema": FORM}
HOUR = timedelta(hours=1)
LATER = after(4 * HOUR, subject("carol"))
ASKED = InputRequest(
    key="refund",
    method="elicitation/create",
    params=PARAMS,
    approval=Approval(audience=role("finance").but_me(), quorum=2, shown="# Why", remind=HOUR, escalate=LATER),
)


@pytest.mark.parametrize(
    ("audience", "key", "words"),
    [
        (role("finance"), "role:finance", "role finance"),
        (role("Öl & Gas #1"), "role:%C3%96l%20%26%20Gas%20%231", "role Öl & Gas #1"),
        (subject("ada@acme.dev"), "subject:ada%40acme.dev", "ada@acme.dev"),
        (anyone(), "anyone", "anyone"),
        (anyone_but_me(), "anyone", "anyone"),
    ],
)
def test_an_audience_has_a_key_and_words(audience: Audience, key: str, words: str) -> None:
    assert (audience.key, audience.text) == (key, words)
    assert "#" not in audience.key


@pytest.mark.parametrize("name", ["", "x" * 600, "é" * 100, "\ud800"])
def test_what_no_key_could_hold_names_no_audience(name: str) -> None:
    for of in (role, subject):
        with pytest.raises(ValueError):  # noqa: PT011  # in words of its own for each
            of(name)


def test_a_caller_belongs_to_its_subject_its_roles_and_anyone() -> None:
    caller = replace(ADA, roles=frozenset({"finance", "a b", "x" * 600}))

    assert audiences_of(caller) == ("subject:ada", "role:a%20b", "role:finance", "anyone")
    assert audiences_of(replace(caller, identified=False)) == ("anyone",)


GRACE = Caller(tenant="acme", subject="grace", roles=frozenset({"finance"}))


@pytest.mark.parametrize(
    ("caller", "of", "may"),
    [
        (GRACE, role("finance"), True),
        (GRACE, role("legal"), False),
        (GRACE, subject("grace"), True),
        (GRACE, subject("finance"), False),
        (GRACE, anyone_but_me(), True),
        (ADA, anyone(), True),
        (ADA, anyone_but_me(), False),
        (ADA, subject("ada").but_me(), False),
        (replace(GRACE, actor={"sub": "agent"}), role("finance").but_me(), True),
        (replace(GRACE, actor={"sub": "ada"}), role("finance").but_me(), False),
        (replace(GRACE, actor={"sub": "agent", "act": {"sub": "ada"}}), role("finance").but_me(), False),
        (replace(GRACE, actor={"sub": "ada"}), role("finance"), True),
        (BOB, anyone_but_me(), False),
    ],
)
def test_who_may_answer_what_a_task_of_ada_asks_for_which_bob_acted(caller: Caller, of: Audience, *, may: bool) -> None:
    acted = {"sub": "bob", "act": {"sub": "planner"}}

    assert entitles(Approval(audience=of), caller, ADA.owner_key, acted) is may


PLANNED: dict[str, Any] = {"sub": "assistant", "act": {"sub": "planner", "act": {"sub": "scheduler"}}}


@pytest.mark.parametrize(
    ("actor", "client", "is_one"),
    [
        ({"sub": "assistant"}, None, True),
        ({"sub": "helper", "act": {"sub": "scheduler"}}, None, True),
        ({"sub": "helper", "act": {"sub": "other", "act": {"sub": "planner", "iss": "https://b.test"}}}, None, True),
        ({"sub": "ada"}, None, True),
        ({"sub": "helper", "act": {"sub": "ada"}}, None, True),
        ({"sub": "helper"}, None, False),
        ({"sub": "Assistant"}, None, False),
        ({"sub": "helper", "client_id": "assistant", "azp": "assistant"}, None, False),
        (None, "assistant", False),
        (None, None, False),
    ],
)
def test_a_caller_is_the_asker_where_one_person_or_agent_is_on_both_sides(
    actor: Any, client: str | None, is_one: bool
) -> None:
    assert is_asker(replace(GRACE, actor=actor, client_id=client), ADA.owner_key, PLANNED) is is_one


def test_a_subject_is_the_asker_where_it_acted_for_the_asker() -> None:
    asked_by = {"sub": "assistant", "act": {"sub": "grace"}}

    assert is_asker(GRACE, ADA.owner_key, asked_by)
    assert not is_asker(replace(GRACE, subject="heidi"), ADA.owner_key, asked_by)


@pytest.mark.parametrize("depth", range(MAX_ACTORS))
def test_each_actor_of_the_longest_chain_counts_on_both_sides(depth: int) -> None:
    chain: Any = None
    for name in reversed([f"agent {place}" for place in range(MAX_ACTORS)]):
        chain = {"sub": name} if chain is None else {"sub": name, "act": chain}
    one = {"sub": f"agent {depth}"}
    accepted = Decision(subject="heidi", at=NOON, action="accept", channel="page", digest="d", actor=chain)

    assert is_asker(replace(GRACE, actor=one), ADA.owner_key, chain)
    assert is_asker(replace(GRACE, actor=chain), ADA.owner_key, one)
    assert has_accepted(replace(GRACE, actor=one), (accepted,))
    assert has_accepted(replace(GRACE, actor=chain), (replace(accepted, actor=one),))
    assert not has_accepted(replace(GRACE, actor={"sub": "agent"}), (accepted,))


DECISIONS = tuple(
    Decision(
        subject=name, at=NOON, action="accept", channel="approval_decide", digest="d", actor=actor, content=content
    )
    for name, actor, content in (
        ("grace", None, None),
        ("heidi", {"sub": "agent", "act": {"sub": "planner", "iss": "https://a.test"}}, {}),
        ("ivan", None, {"amount": 2**53 + 1, "why": "\u202eü\n", "kinds": ["a"]}),
    )
)


def test_documents_say_what_is_asked_and_decided_and_nothing_where_nobody_is() -> None:
    plain = replace(ASKED, approval=None)
    response = InputResponse(result={"action": "accept"}, decisions=DECISIONS)

    assert input_request_of(json.loads(json.dumps(document_of_request(ASKED)))) == ASKED
    assert document_of_request(plain) == {"key": "refund", "method": "elicitation/create", "params": PARAMS}
    assert response_of(json.loads(json.dumps(document_of_response(response)))) == response
    assert document_of_response(InputResponse(result={})) == {"result": {}, "error": None}


def approval(**changes: Any) -> Any:
    return {"of": {"kind": "role", "name": "finance", "not_asker": True}, "quorum": 1, **changes}


@pytest.mark.parametrize(
    "hostile",
    [
        7,
        {},
        approval(of={"kind": "tenant", "name": "rival", "not_asker": False}),
        approval(of={"kind": "role", "name": "x" * 600, "not_asker": False}),
        approval(of={"kind": "role", "name": "", "not_asker": False}),
        approval(of={"kind": "role", "name": "finance", "not_asker": "no"}),
        approval(of={"kind": "anyone", "name": "finance", "not_asker": False}),
        approval(quorum=0),
        approval(quorum=True),
        approval(of={"kind": "subject", "name": "grace", "not_asker": False}, quorum=2),
        approval(quorum=10**9),
        approval(shown=7),
        approval(shown="x" * 20_001),
    ],
)
def test_what_a_run_asks_of_others_is_read_as_if_a_stranger_had_sent_it(hostile: Any) -> None:
    sent = {"key": "k", "method": "elicitation/create", "params": PARAMS}
    later = {"after": 60, "of": {"kind": "subject", "name": "carol", "not_asker": False}}
    for fine in (approval(), approval(quorum=2, escalate=later)):
        assert INPUT_REQUESTS.at("asked", [{**sent, "approval": fine}])[0].approval is not None

    with pytest.raises(Unfit):
        INPUT_REQUESTS.at("asked", [{**sent, "approval": hostile}])


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("elicitation/create", {"mode": "url", "message": "Go.", "url": "https://a.example"}),
        ("sampling/createMessage", {"messages": [], "maxTokens": 1}),
        ("roots/list", {}),
    ],
)
def test_others_are_asked_to_fill_in_forms_and_nothing_else(method: str, params: Any) -> None:
    with pytest.raises(Unfit):
        INPUT_REQUESTS.at("asked", [{"key": "k", "method": method, "params": params, "approval": approval()}])


def test_a_run_asks_ten_things_of_others_at_once_at_most() -> None:
    sent = [
        {"key": f"k{number}", "method": "elicitation/create", "params": PARAMS, "approval": approval()}
        for number in range(11)
    ]

    assert len(INPUT_REQUESTS.at("asked", sent[:10])) == 10
    with pytest.raises(Unfit, match="asks others"):
        INPUT_REQUESTS.at("asked", sent)


def test_the_texts_that_others_are_shown_count_among_what_a_task_asks() -> None:
    sent = [
        {
            "key": f"k{number}",
            "method": "elicitation/create",
            "params": PARAMS,
            "approval": approval(shown="x" * 20_000),
        }
        for number in range(5)
    ]

    with pytest.raises(Unfit, match="characters"):
        INPUT_REQUESTS.at("asked", sent)
