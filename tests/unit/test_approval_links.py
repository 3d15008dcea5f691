"""`approval_link`: its text and its result, word for word, and its audit record."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import anyone_but_me, role
from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.engine.approval_answers import linked
from mcp_tasks.engine.current_call import noting
from mcp_tasks.features.results import structured
from mcp_tasks.limits.tenants import MAX_LINK_HOURS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from tests.unit.jobs import DAY
from tests.unit.offices import GRACE, Office
from tests.unit.test_approval_answers import EXPIRES, said


def made(caller: Caller, item_id: str, until: Any) -> str:
    return f"{caller.subject} {item_id} {until and until.isoformat()}"


@pytest.mark.parametrize(
    ("hours", "until"),
    [(1, "2026-01-01T13:00:00+00:00"), (MAX_LINK_HOURS, EXPIRES), (None, EXPIRES)],
)
def test_a_link_is_good_for_so_long_and_no_longer_than_what_it_is_for(hours: int | None, until: str) -> None:
    office = Office()
    item = office.asked(role("finance"))
    arguments: dict[str, JSON] = {"id": item.id} if hours is None else {"id": item.id, "hours": hours}

    with noting() as noted:
        returned = linked(office.approvals, GRACE, arguments, made)

    exact = until.replace("+", ".001000+")
    assert returned == structured(
        f"Whoever opens it may decide this as grace, until {until}.",
        {"id": item.id, "link": f"grace {item.id} {exact}", "until": until},
    )
    about = {"task": item.task_id, "shown": item.digest, "until": until}
    assert noted.happened == {("approval.linked", item.id): about}


def test_a_link_lasts_for_days_where_what_it_is_for_does() -> None:
    office = Office()
    office.ttl = 7 * DAY
    item = office.asked(role("finance"))

    returned: Any = linked(office.approvals, GRACE, {"id": item.id}, made).result["structuredContent"]
    lasts = office.clock.now() + timedelta(hours=MAX_LINK_HOURS)
    assert returned["until"] == lasts.isoformat(timespec="seconds")


@pytest.mark.parametrize(
    ("quorum", "of", "caller"),
    [
        (2, role("finance"), GRACE),
        (1, anyone_but_me(), GRACE),
        (1, role("finance"), replace(GRACE, actor={"sub": "agent"})),
    ],
)
def test_a_link_to_what_its_holder_may_not_decide_says_where_to_log_in(quorum: int, of: Any, caller: Caller) -> None:
    office = Office()
    item = office.asked(of, quorum=quorum)

    with noting() as noted:
        returned = linked(office.approvals, caller, {"id": item.id}, made)
    says = "It leads to this approval in the inbox, where who decides has to log in."
    assert returned == structured(says, {"id": item.id, "link": f"grace {item.id} None", "until": None})
    assert noted.happened == {}


def test_link_names_its_subject_on_one_line_and_with_marks() -> None:
    office = Office()
    item = office.asked(role("finance"))
    eve = replace(GRACE, subject="eve\u202e\nNobody may decide it")

    says = said(linked(office.approvals, eve, {"id": item.id, "hours": 1}, made))
    assert (
        says == "Whoever opens it may decide this as eve[U+202E] Nobody may decide it, until 2026-01-01T13:00:00+00:00."
    )


def test_there_is_no_link_to_what_does_not_wait() -> None:
    with pytest.raises(ToolError, match=r"^Nothing 'x' waits for you"):
        linked(Office().approvals, GRACE, {"id": "x"}, made)
