"""Auditors are told who reads an inbox, and of one approval the hash of what was shown."""

import pytest

from mcp_tasks.engine.current_call import noting
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import ADA, CANNOT_BE_ASKED, GRACE, inbox


@pytest.mark.parametrize("revision", REVISIONS)
def test_who_reads_an_inbox_its_history_or_one_approval_is_noted(harness: Harness, revision: str) -> None:
    task = harness.client(revision, ADA, capabilities=CANNOT_BE_ASKED).start_task("refund", {"order": "A7"})
    (waiting,) = inbox(harness, GRACE, revision)
    client = harness.client(revision, GRACE)
    client.request("tools/list", {})

    for asked, event in (({}, "approvals.listed"), ({"state": "decided"}, "approvals.listed")):
        with noting() as noted:
            client.call_tool("approval_list", asked)
        assert dict(noted.happened) == {(event, ""): {}}
    with noting() as noted:
        client.request("resources/read", {"uri": "approvals://inbox"})
    assert dict(noted.happened) == {("approvals.listed", ""): {}}
    with noting() as noted:
        client.call_tool("approval_list", {"id": waiting["id"]})
    ((event, fields),) = ((event, fields) for (event, _), fields in noted.happened.items())
    assert (event, {*fields}, fields["task"]) == ("approval.read", {"task", "shown"}, task.id)
