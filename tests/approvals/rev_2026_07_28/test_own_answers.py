"""Whoever asks others cannot answer by its own client, and auditors are told that it tried."""

from typing import Any

import pytest

from mcp_tasks.engine.current_call import noting
from mcp_tasks.testing.harness import Harness
from tests.approvals.people import FINANCIAL_ADA, FORM, GRACE, inbox

REVISION = "2026-07-28"
TRIED = {
    "refund": ({"order": "A7"}, "refund", "own_approval"),
    "pay": ({"amount": 9}, "pay", "unknown_approval"),
    "ask_grace": ({}, "grace", "unknown_approval"),
}


@pytest.mark.parametrize("tool", TRIED)
def test_an_answer_of_the_asker_to_what_others_decide_is_refused_and_told(harness: Harness, tool: str) -> None:
    arguments, key, reason = TRIED[tool]
    client: Any = harness.client(REVISION, FINANCIAL_ADA, capabilities={"elicitation": {"form": {}}})
    task = client.start_task(tool, arguments)
    answer = {key: {"action": "accept", "content": FORM}}

    with noting() as noted:
        reply = client.send_request("tasks/update", {"taskId": task.id, "inputResponses": answer})

    assert "it is not for this caller to answer" in reply.message["error"]["message"]
    assert {event: dict(fields) for (event, _), fields in noted.happened.items()} == {
        "request.refused": {"reason": reason}
    }
    assert len(inbox(harness, GRACE, REVISION)) == 1
    assert task.status == "working"
