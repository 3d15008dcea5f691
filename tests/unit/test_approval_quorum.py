"""A quorum in an inbox: one answer of different people, whatever comes in between."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import after, role, subject
from mcp_tasks.engine.approvals import AcceptedByActor, Decided
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.inbox import InboxItem
from tests.kit import ADA
from tests.unit.jobs import COLOUR
from tests.unit.offices import ACCEPT, GRACE, HEIDI, Office

BLUE: dict[str, Any] = {"action": "accept", "content": {"value": "blue"}}
IVAN, JUDY = (replace(GRACE, subject=name) for name in ("ivan", "judy"))


def test_answers_that_differ_are_not_counted_together() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)

    assert office.decide(GRACE, item) == Decided(1, 2, is_over=False)
    assert office.decide(HEIDI, item, BLUE) == Decided(1, 2, is_over=False, answers=2)
    assert office.decide(HEIDI, item, ACCEPT) == Decided(1, 2, is_over=False, is_new=False, answers=2)
    assert office.decide(IVAN, item, BLUE) == Decided(2, 2, is_over=True)
    response = office.tasks.ports.tasks.response(ADA.owner_key, item.task_id, "colour")
    assert response is not None
    assert response.result == BLUE
    assert [each.subject for each in response.decisions] == ["grace", "heidi", "ivan"]
    assert office.decide(GRACE, item) == Decided(2, 2, is_over=True, is_new=False)


def test_acceptance_without_an_answer_counts_as_one_of_the_defaults() -> None:
    office = Office()
    form = {"type": "object", "properties": {"amount": {"type": "integer", "default": 10}}}
    approval = Approval(audience=role("finance"), quorum=2)
    office.ask_so(replace(COLOUR, params={**COLOUR.params, "requestedSchema": form}, approval=approval))
    (item,) = office.approvals.page(IVAN, limit=9)[0]
    other = {"action": "accept", "content": {"amount": 9000}}

    assert office.decide(GRACE, item, {"action": "accept"}) == Decided(1, 2, is_over=False)
    assert office.decide(HEIDI, item, other) == Decided(1, 2, is_over=False, answers=2)
    (item,) = office.approvals.page(IVAN, limit=9)[0]
    assert [each.content for each in item.accepted] == [{"amount": 10}, {"amount": 9000}]


@pytest.mark.parametrize("escalated_first", [False, True])
def test_one_subject_to_whom_it_escalates_counts_with_those_who_were_asked_first(escalated_first: bool) -> None:
    office, carol = Office(), Caller(tenant="acme", subject="carol")
    later = after(timedelta(hours=1), subject("carol"))
    approval = Approval(audience=role("finance"), quorum=2, escalate=later)
    office.ask_so(replace(COLOUR, approval=approval))
    assert office.approvals.page(carol, limit=9) == ([], None)
    office.clock.advance(timedelta(hours=1))
    ((mine,), _), ((theirs,), _) = (office.approvals.page(each, limit=9) for each in (carol, GRACE))
    both = [(carol, mine), (GRACE, theirs)]
    first, second = both if escalated_first else reversed(both)

    assert office.decide(*first) == Decided(1, 2, is_over=False)
    assert office.decide(*second) == Decided(2, 2, is_over=True)
    for caller, item in both:
        (past,) = office.approvals.history(caller, limit=9)[0]
        assert (past.id, past.approval.quorum) == (item.id, 2)
        assert [each.subject for each in past.decisions] == [first[0].subject, second[0].subject]


@dataclass
class Overtaken:
    """An inbox in which others act after it was first read."""

    inbox: Any
    rival: Callable[[], object]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inbox, name)

    def find(self, tenant: str, item_id: str) -> Any:
        found, rival = self.inbox.find(tenant, item_id), self.rival
        self.rival = lambda: None
        rival()
        return found


def overtaken(office: Office, item: InboxItem, caller: Caller, by: Caller, answer: Any) -> Decided:
    """Have the caller accept, and another decision come in between."""
    inbox = Overtaken(office.tasks.ports.inbox(), lambda: office.decide(by, item, answer))
    return office.with_inbox(inbox).decide(caller, item.id, ACCEPT, channel="page")


def test_an_agent_that_accepts_for_two_at_once_is_counted_once() -> None:
    office = Office()
    first, second = (replace(each, actor={"sub": "agent"}) for each in (GRACE, HEIDI))
    waiting = office.asked(role("finance"), quorum=3)
    almost = office.asked(role("finance"), quorum=2)
    office.decide(IVAN, almost)

    with pytest.raises(AcceptedByActor) as refused:
        overtaken(office, waiting, first, second, ACCEPT)
    # The one in between gives another answer, so that it does not decide what the first would have.
    with pytest.raises(AcceptedByActor):
        overtaken(office, almost, first, second, BLUE)
    assert refused.value.may_alone
    assert office.decide(GRACE, almost) == Decided(2, 2, is_over=True)


def test_one_person_who_gives_two_answers_at_once_has_given_the_one_that_was_first() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(HEIDI, item)

    assert overtaken(office, item, GRACE, GRACE, BLUE) == Decided(1, 2, is_over=False, is_new=False, answers=2)
    assert office.decide(IVAN, item) == Decided(2, 2, is_over=True)


def test_another_answer_in_between_is_told_to_the_tool_as_well() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(HEIDI, item)

    assert overtaken(office, item, GRACE, IVAN, BLUE) == Decided(2, 2, is_over=True)
    response = office.tasks.ports.tasks.response(ADA.owner_key, item.task_id, "colour")
    assert response is not None
    assert [each.subject for each in response.decisions] == ["heidi", "ivan", "grace"]


@pytest.mark.parametrize("answer", [ACCEPT, BLUE])
def test_what_the_release_before_accepted_counts_with_any_answer(answer: Any) -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    before = Decision(subject="grace", at=office.clock.now(), action="accept", channel="approval_decide", digest="old")
    assert office.tasks.ports.inbox().accept("acme", item, before)

    assert office.decide(GRACE, item, answer) == Decided(1, 2, is_over=False, is_new=False)
    assert office.decide(HEIDI, item, answer) == Decided(2, 2, is_over=True)


def test_one_agent_whose_two_acceptances_the_release_before_took_counts_once() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=3)
    before = Decision(
        subject="grace", at=office.clock.now(), action="accept", channel="page", digest="old", actor={"sub": "agent"}
    )
    for each in (before, replace(before, subject="heidi")):
        (now,) = (one for one in office.approvals.page(JUDY, limit=9)[0])
        assert office.tasks.ports.inbox().accept("acme", now, each)

    assert office.decide(IVAN, item) == Decided(2, 3, is_over=False)
    assert office.decide(JUDY, item) == Decided(3, 3, is_over=True)
