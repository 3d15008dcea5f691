"""Elicitations of others than the caller, as a tool makes them and gets their answers."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Accepted, Cancelled, Declined, Elicit, Form, after, anyone, role, subject
from mcp_tasks.authoring.asks import value_of
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.model import InputResponse
from tests.kit import NOON

DECISIONS = tuple(
    Decision(subject=name, at=NOON, action="accept", channel="approval_decide", digest="d", actor=actor)
    for name, actor in {"grace": None, "heidi": {"sub": "agent"}}.items()
)


HOUR = timedelta(hours=1)


class Refund(Form):
    amount: int


@pytest.mark.parametrize(
    "more",
    [
        {"quorum": 2},
        {"shown": "x"},
        {"of": anyone(), "quorum": 0},
        {"of": anyone(), "quorum": 11},
        {"of": subject("grace"), "quorum": 2},
        {"of": anyone(), "shown": "x" * 20_001},
        {"remind": timedelta(hours=1)},
        {"of": anyone(), "remind": timedelta(minutes=4)},
        {"of": anyone(), "remind": -timedelta(hours=1)},
        {"of": anyone(), "remind": timedelta(days=40_000)},
        {"escalate": after(HOUR, role("cfo"))},
        {"of": role("cfo").but_me(), "escalate": after(HOUR, role("cfo"))},
    ],
)
def test_what_nobody_could_be_asked_is_refused_where_it_is_written(more: Any) -> None:
    with pytest.raises(ValueError, match=r"quorum|shown|remind|escalate"):
        Elicit("Refund?", Refund, **more)


def test_a_time_between_reminders_is_a_timedelta() -> None:
    with pytest.raises(TypeError, match="remind is a timedelta"):
        Elicit("Refund?", Refund, of=anyone(), remind=3600)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize("duration", [timedelta(), -HOUR, timedelta(days=40_000)])
def test_what_escalates_waits_for_some_time_before(duration: timedelta) -> None:
    with pytest.raises(ValueError, match=r"waits for some time|negative|at most"):
        after(duration, role("cfo"))


def test_a_time_after_which_it_escalates_is_a_timedelta() -> None:
    with pytest.raises(TypeError, match="is a timedelta"):
        after(4, role("cfo"))  # type: ignore[arg-type]  # what is refused


def test_an_elicitation_of_others_is_one_of_the_protocol_with_an_approval_beside_it() -> None:
    plain, asked = (Elicit("Refund?", Refund, of=of).input_request("refund") for of in (None, role("finance").but_me()))

    assert asked.approval == Approval(audience=role("finance").but_me())
    assert replace(asked, approval=None) == plain
    assert plain.approval is None


def test_an_answer_says_who_gave_it() -> None:
    ask = Elicit("Refund?", Refund, of=role("finance"), quorum=2)
    accepted = InputResponse(result={"action": "accept", "content": {"amount": 1}}, decisions=DECISIONS)
    no, dismissed = (replace(accepted, result={"action": action}) for action in ("decline", "cancel"))

    assert value_of(ask, "k", accepted, None) == Accepted(Refund(amount=1), by=("grace", "heidi"))
    assert value_of(ask, "k", no, None) == Declined(by=("heidi",))
    assert value_of(ask, "k", dismissed, None) == Cancelled()
    assert repr(Accepted(1, by=("grace",))) == "Accepted(value=1)"


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"approvals": 1}, TypeError),
        ({"approvals": True, "tasks": "never"}, ValueError),
        ({"approvals": True, "machine": "direct"}, ValueError),
    ],
)
def test_only_a_tool_that_can_wait_asks_others(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="approvals"):
        Tool(name="x", description="X.", work=None, **wrong)  # type: ignore[arg-type]  # no work is needed to see it
