"""Which acceptances of an approval count together: one answer, and other people for each."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.quorum import agreeing, answer_of, answers, counted, most_agreeing
from tests.kit import NOON

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "reason": {"type": "string", "default": ""}, "kinds": True},
}
SEVEN, NINE = {"amount": 7}, {"amount": 9}


def by(subject: str, content: Any = None, *actors: str, action: str = "accept") -> Decision:
    actor: dict[str, Any] | None = None
    for name in reversed(actors):
        actor = {"sub": name} if actor is None else {"sub": name, "act": actor}
    return Decision(
        subject=subject, at=NOON, action=action, channel="approval_decide", digest="d", actor=actor, content=content
    )


SAME = [
    ({"amount": 5}, {"amount": 5.0}),
    ({"amount": 100}, {"amount": 1e2}),
    ({"amount": 0}, {"amount": -0.0}),
    ({"amount": 10**22}, {"amount": 1e22}),
    ({"amount": 5, "reason": "x"}, {"reason": "x", "amount": 5}),
    ({"amount": 5, "reason": ""}, {"amount": 5}),
    ({"kinds": ["a", {"b": 1.0, "c": 2}]}, {"kinds": ["a", {"c": 2, "b": 1}]}),
]
OTHER = [
    ({"amount": 5}, {"amount": 6}),
    ({"amount": 5}, {"amount": 5.5}),
    ({"amount": 2**53}, {"amount": 2**53 + 1}),
    ({"amount": 1}, {"amount": True}),
    ({"amount": 1}, {"amount": "1"}),
    ({"amount": 5}, {}),
    ({"amount": 5}, {"amount": None}),
    ({"reason": "x"}, {"reason": "x "}),
    ({"reason": "x"}, {"reason": "x\u200b"}),
    ({"kinds": ["a", "b"]}, {"kinds": ["b", "a"]}),
    ({"kinds": ["a"]}, {"kinds": ["a", "a"]}),
    ({"kinds": "a"}, {"kinds": ["a"]}),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=str)
def test_one_answer_in_two_spellings_counts_together(one: Any, other: Any) -> None:
    accepted = by("grace", answer_of(FORM, one)), by("heidi", answer_of(FORM, other))

    assert (counted(accepted), most_agreeing(accepted), answers(accepted)) == (2, 2, 1)


@pytest.mark.parametrize(("one", "other"), OTHER, ids=str)
def test_different_answers_do_not_count_together(one: Any, other: Any) -> None:
    accepted = by("grace", answer_of(FORM, one)), by("heidi", answer_of(FORM, other))

    assert (counted(accepted), most_agreeing(accepted), answers(accepted)) == (1, 1, 2)


@given(
    st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()), max_size=5)
)
def test_an_answer_survives_being_stored_and_the_order_of_its_fields(content: dict[str, Any]) -> None:
    stored = json.loads(json.dumps(answer_of(FORM, content)))
    shuffled = answer_of(FORM, dict(reversed(content.items())))

    assert answers((by("grace", stored), by("heidi", shuffled))) == 1


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": {"a": True, "b": {"type": "string"}}}])
def test_a_form_without_defaults_adds_nothing(schema: Any) -> None:
    assert answer_of(schema, {"a": 1}) == {"a": 1}


def test_the_largest_group_counts_until_one_is_decided() -> None:
    accepted = by("grace", SEVEN), by("heidi", NINE), by("ivan", SEVEN)

    assert (most_agreeing(accepted), answers(accepted)) == (2, 2)
    assert [each.subject for each in agreeing(accepted, by("judy", NINE))] == ["heidi", "judy"]
    assert [each.subject for each in agreeing(accepted, by("judy", SEVEN))] == ["grace", "ivan", "judy"]
    assert [each.subject for each in agreeing(accepted, by("judy", {"amount": 8}))] == ["judy"]
    assert counted((*accepted, by("judy", action="decline"))) == 2


def test_nobody_has_accepted_at_first() -> None:
    assert (most_agreeing(()), answers(()), counted((by("grace", action="decline"),))) == (0, 0, 0)


def test_an_acceptance_of_the_release_before_agrees_to_any_answer() -> None:
    accepted = by("grace"), by("heidi", NINE)

    assert [each.subject for each in agreeing(accepted, by("ivan", SEVEN))] == ["grace", "ivan"]
    assert (most_agreeing(accepted), answers(accepted)) == (2, 1)


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        (by("grace", SEVEN, "agent"), by("heidi", SEVEN, "agent"), 1),
        (by("grace", SEVEN, "agent", "planner"), by("heidi", SEVEN, "other", "planner"), 1),
        (by("grace", SEVEN, "heidi"), by("heidi", SEVEN), 1),
        (by("grace", SEVEN), by("heidi", SEVEN, "agent", "grace"), 1),
        (by("grace", SEVEN, "agent"), by("heidi", SEVEN, "other"), 2),
        (by("grace", SEVEN, "agent"), by("heidi", SEVEN), 2),
        (by("grace", None, "agent"), by("heidi", None, "agent"), 1),
    ],
)
def test_one_agent_with_two_tokens_counts_once(first: Decision, second: Decision, count: int) -> None:
    third = by("ivan", SEVEN)

    assert counted((first, second)) == most_agreeing((first, second)) == count
    assert len(agreeing((first, second), replace(third, actor=None))) == count + 1
