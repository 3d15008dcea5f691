"""Who is told that an approval waits, when, and when nobody is any more."""

from dataclasses import replace
from datetime import timedelta

from mcp_tasks import after, anyone, role
from mcp_tasks.adapters.memory.notifier import MemoryNotifier
from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.notifications import Occasion
from tests.kit import ADA
from tests.unit.jobs import COLOUR
from tests.unit.offices import GRACE, Office

HOUR = timedelta(hours=1)


class Told:
    """An office whose inbox tells of each change of an item, as the table's stream does."""

    def __init__(self, approval: Approval) -> None:
        self.office, self.notifier = Office(), MemoryNotifier()
        self.notices = ApprovalNotices(ports=replace(self.office.tasks.ports, notifier=self.notifier))
        self.office.tasks.ports.inbox().listener = self.notices.changed  # type: ignore[attr-defined]
        self.task = self.office.ask_so(replace(COLOUR, approval=approval))

    @property
    def occasions(self) -> list[Occasion]:
        return [each.occasion for each in self.notifier.sent]

    def remind(self) -> None:
        self.notices.remind(ADA.owner_key, self.current(), self.office.tasks.ports.clock.now())

    def current(self) -> Task:
        return self.office.tasks.read(ADA.owner_key, self.task.id)

    def item(self) -> InboxItem:
        return self.office.approvals.page(GRACE, limit=1)[0][0]


def test_an_audience_is_told_once_that_something_waits_for_it_and_again_when_it_is_due() -> None:
    told = Told(Approval(audience=role("finance"), remind=HOUR))
    item = told.item()
    assert told.occasions == [Occasion.REQUESTED]
    (first,) = told.notifier.sent
    assert (first.tenant, first.audience, first.approval, first.due) == (
        "acme",
        role("finance"),
        item.id,
        item.deadline,
    )

    told.office.clock.advance(HOUR - timedelta(microseconds=1))
    told.remind()
    assert told.occasions == [Occasion.REQUESTED]
    told.office.clock.advance(timedelta(microseconds=1))
    for _ in range(2):
        told.remind()
    assert told.occasions == [Occasion.REQUESTED, Occasion.REMINDED]


def test_those_who_may_answer_later_are_told_then_and_the_others_are_not() -> None:
    told = Told(Approval(audience=role("finance"), escalate=after(HOUR, anyone())))
    told.office.clock.advance(HOUR)
    told.remind()

    assert [(each.occasion, each.audience) for each in told.notifier.sent] == [
        (Occasion.REQUESTED, role("finance")),
        (Occasion.ESCALATED, anyone()),
    ]


def test_nobody_is_told_late_of_what_is_over() -> None:
    told = Told(Approval(audience=role("finance")))
    item = told.item()
    told.notices.changed(None, item)
    assert told.occasions == [Occasion.REQUESTED] * 2

    told.office.tasks.cancel(ADA, told.task.id)
    told.notices.changed(None, item)
    told.notices.changed(item, None)
    assert told.occasions == [Occasion.REQUESTED] * 2


def test_a_change_that_is_no_news_is_told_nobody() -> None:
    told = Told(Approval(audience=role("finance")))
    item = told.item()

    told.notices.changed(item, item)
    assert told.occasions == [Occasion.REQUESTED]


def test_where_there_is_no_notifier_nothing_is_looked_up() -> None:
    told = Told(Approval(audience=role("finance")))

    ApprovalNotices(ports=told.office.tasks.ports).changed(None, told.item())
    assert told.occasions == [Occasion.REQUESTED]
