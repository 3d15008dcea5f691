"""What waits for whom in an inbox, and what becomes of a decision: its numbers, its events, and who comes too late."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import anyone, anyone_but_me, role
from mcp_tasks.engine.approvals import AcceptedByActor, AlreadyDecided, ApprovalNotFound, Decided, OwnApproval
from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.limits.waits import MAX_WRITE_ATTEMPTS
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputResponse, State
from tests.kit import ADA
from tests.unit.jobs import DAY, RED
from tests.unit.offices import ACCEPT, DECLINE, GRACE, HEIDI, Office

HOUR = timedelta(hours=1)

# --- what became of a decision


def test_one_decision_decides_what_one_has_to_accept() -> None:
    for result, accepted in ((ACCEPT, 1), (DECLINE, 0)):
        office = Office()
        item = office.asked(role("finance"))

        assert office.decide(GRACE, item, result) == Decided(accepted, 1, is_over=True, is_new=True)
        assert office.decide(GRACE, item, result) == Decided(accepted, 1, is_over=True, is_new=False)
        assert office.tasks.get(ADA, item.task_id).state is State.WORKING


def test_of_two_who_have_to_accept_each_is_told_how_many_have() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)

    assert office.decide(GRACE, item) == Decided(1, 2, is_over=False, is_new=True)
    assert office.decide(GRACE, item) == Decided(1, 2, is_over=False, is_new=False)
    assert office.tasks.read(ADA.owner_key, item.task_id).state is State.INPUT_REQUIRED
    assert office.decide(HEIDI, item) == Decided(2, 2, is_over=True, is_new=True)
    assert office.decide(GRACE, item) == Decided(2, 2, is_over=True, is_new=False)


def test_one_of_two_who_declines_decides_and_is_told_the_same_again() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(GRACE, item)

    assert office.decide(HEIDI, item, DECLINE) == Decided(1, 2, is_over=True, is_new=True)
    assert office.decide(HEIDI, item, DECLINE) == Decided(1, 2, is_over=True, is_new=False)


def test_who_comes_too_late_is_told_who_decided() -> None:
    office = Office()
    item = office.asked(role("finance"))
    office.decide(GRACE, item)

    for caller, result in ((HEIDI, ACCEPT), (GRACE, DECLINE)):
        with pytest.raises(AlreadyDecided, match=r"^decided by grace$") as late:
            office.decide(caller, item, result)
        assert [each.subject for each in late.value.decisions] == ["grace"]


@pytest.mark.parametrize("is_over", [True, False])
def test_a_decision_is_an_event_for_auditors(is_over: bool) -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=1 if is_over else 2)

    with noting() as noted:
        office.decide(GRACE, item)
        office.decide(GRACE, item)
    assert noted.happened == {
        ("approval.decided", item.id): {
            "task": item.task_id,
            "is_over": is_over,
            "action": "accept",
            "channel": "page",
            "shown": item.digest,
        }
    }


def test_a_task_has_the_answer_with_all_who_decided_it_and_when() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(GRACE, item)
    office.clock.advance(HOUR)
    office.decide(replace(HEIDI, actor={"sub": "agent"}), item)

    at, content = office.clock.now(), {"value": "red"}
    accepted = Decision(subject="", at=at, action="accept", channel="page", digest=item.digest, content=content)
    grace, heidi = (
        replace(accepted, subject="grace", at=at - HOUR),
        replace(accepted, subject="heidi", at=at, actor={"sub": "agent"}),
    )
    response = office.tasks.ports.tasks.response(ADA.owner_key, item.task_id, "colour")
    assert response == InputResponse(result=ACCEPT, decisions=(grace, heidi))


def test_a_decision_that_loses_every_race_is_nobodys_answer() -> None:
    @dataclass
    class Crowded:
        inbox: Any
        attempts: int = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inbox, name)

        def accept(self, *accepted: object) -> bool:
            self.attempts += 1
            return False

    office = Office()
    item = office.asked(role("finance"), quorum=2)
    crowded = Crowded(office.tasks.ports.inbox())

    with pytest.raises(StaleTask, match=f"^lost {MAX_WRITE_ATTEMPTS} races for one approval$"):
        office.with_inbox(crowded).decide(GRACE, item.id, ACCEPT, channel="page")
    assert crowded.attempts == MAX_WRITE_ATTEMPTS


def test_what_a_task_does_not_ask_any_more_is_not_there() -> None:
    office = Office()
    item = office.asked(role("finance"))

    class Old:
        def find(self, tenant: str, item_id: str) -> InboxItem:
            return item

    approvals = office.with_inbox(Old())
    Suspension(tasks=office.tasks).respond(ADA.owner_key, item.task_id, lambda task: {"colour": RED})
    with pytest.raises(ApprovalNotFound, match=f"^{item.id}$"):
        approvals.decide(GRACE, item.id, ACCEPT, channel="page")
    office.clock.advance(DAY)
    with pytest.raises(ApprovalNotFound, match=f"^{item.id}$"):
        approvals.decide(GRACE, item.id, ACCEPT, channel="page")


@pytest.mark.parametrize("params", [{"message": "Which colour, then?"}, {"message": "Which colour?\u200b"}])
def test_decision_about_a_question_that_has_changed_is_refused(params: Any) -> None:
    office = Office()
    item = office.asked(role("finance"))
    shown = replace(item, input_request=replace(item.input_request, params={**item.input_request.params, **params}))

    class Old:
        def find(self, tenant: str, item_id: str) -> InboxItem:
            return shown

    with pytest.raises(ApprovalNotFound, match=f"^{item.id}$"):
        office.with_inbox(Old()).decide(GRACE, item.id, ACCEPT, channel="page")
    assert office.tasks.read(ADA.owner_key, item.task_id).state is State.INPUT_REQUIRED


@pytest.mark.parametrize("by_link", [False, True])
def test_a_link_lets_nobody_decide_what_its_maker_may_not(by_link: bool) -> None:
    """Whom a link of an earlier release was made for, who asked or accepted through somebody else since."""
    office, through_grace = Office(), {"sub": "agent", "act": {"sub": "grace"}}
    own = office.asked(role("finance").but_me(), caller=replace(ADA, actor=through_grace))
    accepted = office.asked(role("finance"), quorum=2)
    office.decide(replace(HEIDI, actor=through_grace), accepted)

    def grace(item: InboxItem) -> Caller:
        return Caller(tenant="acme", subject="grace", approval=item.id) if by_link else GRACE

    for result in (ACCEPT, DECLINE):
        with pytest.raises(OwnApproval) as refused:
            office.decide(grace(own), own, result)
        assert not refused.value.may_alone
    with pytest.raises(AcceptedByActor) as again:
        office.decide(grace(accepted), accepted)
    assert not again.value.may_alone
    for caller, item in ((GRACE, own), (HEIDI, accepted)):
        other = replace(caller, approval="role:finance#another") if by_link else replace(caller, tenant="rival")
        with pytest.raises(ApprovalNotFound):
            office.decide(other, item)
    assert office.tasks.read(ADA.owner_key, own.task_id).state is State.INPUT_REQUIRED


# --- what waits for whom


def test_an_inbox_is_read_page_by_page_and_so_is_what_was_decided() -> None:
    office = Office()
    items = [office.asked(role("finance")) for _ in range(3)]

    first, place = office.approvals.page(GRACE, limit=2)
    assert (list(first), place) == (items[:2], items[1].place)
    assert office.approvals.page(GRACE, after=items[1].place, limit=2) == ([items[2]], None)
    assert office.approvals.page(GRACE, limit=3) == (items, None)

    for item in items:
        office.decide(GRACE, item)
    past, place = office.approvals.history(HEIDI, limit=2)
    assert ([each.id for each in past], place) == ([items[2].id, items[1].id], items[1].place)
    past, place = office.approvals.history(HEIDI, before=items[1].place, limit=2)
    assert ([each.id for each in past], place) == ([items[0].id], None)


def test_what_two_audiences_have_is_one_list_in_the_order_in_which_it_was_asked() -> None:
    office = Office()
    items = [office.asked(of) for of in (role("finance"), anyone(), role("finance"), anyone())]
    assert office.approvals.page(GRACE, limit=9) == (items, None)

    for item in items:
        office.decide(HEIDI, item)
    past, _ = office.approvals.history(GRACE, limit=9)
    assert [each.id for each in past] == [each.id for each in reversed(items)]


def test_what_one_has_accepted_waits_for_others_alone() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(GRACE, item)

    assert office.approvals.page(GRACE, limit=9) == ([], None)
    assert [each.id for each in office.approvals.page(HEIDI, limit=9)[0]] == [item.id]


def test_whoever_lists_what_waits_or_was_decided_is_noted_for_auditors() -> None:
    office = Office()
    for read in (office.approvals.page, office.approvals.history):
        with noting() as noted:
            read(GRACE, limit=1)
        assert noted.happened == {("approvals.listed", ""): {}}


@pytest.mark.parametrize("caller", [ANONYMOUS, replace(ANONYMOUS, tenant="acme"), replace(GRACE, approval="anyone#1")])
def test_who_cannot_be_told_apart_or_has_a_link_reads_no_inbox(caller: Caller) -> None:
    asker = replace(ADA, tenant=caller.tenant)
    office = Office()
    task = office.ask(anyone(), caller=asker)
    (item,) = office.approvals.page(replace(GRACE, tenant=caller.tenant), limit=9)[0]
    assert item.task_id == task.id

    with noting() as noted:
        assert office.approvals.page(caller, limit=9) == ([], None)
        assert office.approvals.history(caller, limit=9) == ([], None)
    assert noted.happened == {}
    with pytest.raises(ApprovalNotFound, match=f"^{item.id}$"):
        office.approvals.find(caller, item.id)


def test_who_acted_for_the_one_who_asks_does_not_decide_where_the_asker_may_not() -> None:
    office = Office()
    item = office.asked(anyone_but_me(), caller=replace(ADA, actor={"sub": "grace"}))

    assert office.approvals.page(GRACE, limit=9) == ([], None)
    with pytest.raises(OwnApproval, match=f"^{item.id}$"):
        office.approvals.find(GRACE, item.id)
    assert office.approvals.find(HEIDI, item.id) == item


def test_what_is_not_for_a_caller_and_what_there_is_not_look_alike() -> None:
    office = Office()
    item = office.asked(role("finance"))
    outsider = Caller(tenant="acme", subject="bob")

    for caller, item_id in ((outsider, item.id), (replace(GRACE, tenant="rival"), item.id), (GRACE, "role:finance#1")):
        with pytest.raises(ApprovalNotFound, match=f"^{item_id}$"):
            office.approvals.find(caller, item_id)
