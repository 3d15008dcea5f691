"""What is read of stored documents to the edge of what fits, and what is written of a value that is not there."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import GRACE, LONGEST_SPAN, RUN_LEASE
from mcp_tasks.tasks.approval_documents import decision_of, document_of_approval, document_of_decision
from mcp_tasks.tasks.approvals import Approval, Audience, Decision, Kind
from mcp_tasks.tasks.documents import outcome_of
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.json_values import number, span
from mcp_tasks.tasks.model import JSON, RunLease
from mcp_tasks.tasks.named_plans import Grant, NamedPlans
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.run_lease import renewed
from tests.kit import NOON, a_task

DECISION = Decision(subject="grace", at=NOON, action="accept", channel="inbox", digest="d")


@pytest.mark.parametrize("value", [True, False, "1", None, [1]])
def test_what_is_no_number_is_none(value: JSON) -> None:
    with pytest.raises(TypeError):
        number(value)


def test_a_span_is_as_long_as_the_longest_and_no_longer() -> None:
    assert span(LONGEST_SPAN.total_seconds()) == LONGEST_SPAN
    for seconds in (LONGEST_SPAN.total_seconds() + 1, -1):
        with pytest.raises(ValueError, match=r"^$"):
            span(seconds)


def test_a_document_of_no_outcome_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        outcome_of({"other": {}})


def test_what_is_not_there_takes_no_room() -> None:
    assert "actor" not in document_of_decision(DECISION)
    assert sorted(document_of_approval(Approval(audience=Audience(kind=Kind.ANYONE)))) == ["of", "quorum"]
    assert decision_of(document_of_decision(DECISION)) == DECISION


def test_a_name_has_a_hash_even_if_it_is_no_text() -> None:
    assert len({hashed("\ud800"), hashed("\udfff"), hashed("")}) == 3


def test_an_override_that_no_plan_can_have_is_said_to_be_the_tenants() -> None:
    with pytest.raises(ValueError, match=r"^what differs for the tenant: active_tasks is "):
        NamedPlans().resolved(Grant(overrides={"active_tasks": "many"}))


@pytest.mark.parametrize(("limit", "share"), [(10, 3), (8, 2), (1, 1), (0, 0)])
def test_a_subjects_share_is_rounded_up(limit: int, share: int) -> None:
    assert Plan(subject_share=0.25).share_of(limit) == share


@pytest.mark.parametrize(("seconds", "extended"), [(0, RUN_LEASE), (300, GRACE), (330, GRACE / 2), (360, timedelta())])
def test_a_lease_is_extended_to_a_minute_after_the_works_time_at_most(seconds: int, extended: timedelta) -> None:
    now = NOON + timedelta(seconds=seconds)
    task = a_task(timeout=timedelta(minutes=5), lease=RunLease(run="run", number=1, until=now))

    assert renewed(task, "run", now) == RunLease(run="run", number=1, until=now + extended)
