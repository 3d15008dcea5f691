"""What a client is told where the store fails behind a built-in tool: that it failed, and nothing of what it said."""

from typing import Any

import pytest

from mcp_tasks.adapters.memory.inbox import MemoryInbox
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.harness import REVISIONS, Harness
from tests.approvals.people import CANNOT_BE_ASKED, GRACE

SECRET = "arn:aws:dynamodb:eu-west-1:111122223333:table/tasks"
ID = "role:finance#1767268800000-" + "0" * 32
CALLS = {
    "approval_list": (MemoryInbox, "items", {}),
    "approval_decide": (MemoryInbox, "find", {"id": ID, "action": "decline"}),
    "task_list": (MemoryTaskStore, "page", {}),
    "task_result": (MemoryTaskStore, "read", {"task_id": "t1"}),
}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("tool", CALLS)
def test_a_client_is_not_told_why_a_built_in_tool_failed(
    harness: Harness, revision: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, method, arguments = CALLS[tool]
    client = harness.client(revision, GRACE, capabilities=CANNOT_BE_ASKED)
    client.request("tools/list", {})

    def fail(*values: Any, **named: Any) -> Any:
        raise OSError(SECRET)

    monkeypatch.setattr(place, method, fail)
    with pytest.raises(McpError) as failed:
        client.call_tool(tool, arguments)

    assert (failed.value.code, failed.value.message) == (-32603, "Internal error.")
