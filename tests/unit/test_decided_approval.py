"""`approval_list` shows one decided approval by its id, unless the history of the caller lacks it."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import anyone_but_me, role
from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.engine.approval_answers import history
from mcp_tasks.engine.current_call import noting
from mcp_tasks.features.results import structured
from tests.kit import ADA
from tests.unit.offices import GRACE, HEIDI, Office

DECISION = {"subject": "grace", "action": "accept", "at": "2026-01-01T12:00:00+00:00", "channel": "page"}


def test_an_id_shows_the_one_decided_approval_and_notes_that_it_was_read() -> None:
    office = Office()
    item, other = office.asked(role("finance")), office.asked(role("finance"))
    office.decide(GRACE, item)
    office.decide(HEIDI, other)

    with noting() as noted:
        returned: Any = history(office.approvals, GRACE, {"id": item.id})
    line = f"- {item.id}: job asks role finance: Which colour? (accept by grace at 2026-01-01T12:00:00+00:00)"
    (past,) = returned.result["structuredContent"]["approvals"]
    assert returned == structured(line, {"approvals": [past], "next_cursor": None})
    assert (past["id"], past["decisions"]) == (item.id, [DECISION])
    assert noted.happened == {("approvals.listed", ""): {}}


def test_an_id_that_is_not_decided_is_refused_and_the_refusal_noted() -> None:
    office = Office()
    own, waits = office.asked(anyone_but_me()), office.asked(role("finance"))
    office.decide(GRACE, own)
    for caller, item_id in ((GRACE, "x"), (GRACE, waits.id), (ADA, own.id), (replace(GRACE, approval=own.id), own.id)):
        with noting() as noted, pytest.raises(ToolError) as error:
            history(office.approvals, caller, {"id": item_id})
        assert str(error.value) == (
            f"Nothing '{item_id}' that you may decide was decided in the last day; "
            "approval_list with the state decided and no id lists what was."
        )
        assert noted == {"reason": "unknown_approval"}
