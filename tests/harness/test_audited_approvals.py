"""What auditors are told of decisions by other people, and of those that are refused."""

from dataclasses import replace
from typing import Any

import pytest

from tests.approvals.people import FINANCE
from tests.harness.audited import audited as audited
from tests.harness.audited import events
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

GRACE, OTHER = (replace(ADA, subject=name, roles=FINANCE) for name in ("grace", "linus"))
AMOUNT = 471_147_114_711
"""So long that no hash in a record has it by chance."""


@pytest.fixture
def tools_module() -> str:
    return "tests.approvals.sample_tools"


def test_who_decided_what_and_who_was_refused_is_told(tasks: DeployedTasks, audited: list[dict[str, Any]]) -> None:
    asker = tasks.connect(replace(ADA, roles=FINANCE), capabilities={})
    task = asker.start_task("refund", {"order": "A7"})
    tasks.harness.run_until_idle()
    grace, other = tasks.connect(GRACE, capabilities={}), tasks.connect(OTHER, capabilities={})
    (waiting,) = grace.call_tool("approval_list").structured["approvals"]
    accepted = {"id": waiting["id"], "action": "accept", "content": {"amount": AMOUNT}}
    for client in (asker, grace, other):
        client.call_tool("approval_decide", accepted | ({"action": "decline"} if client is other else {}))
    other.call_tool("approval_decide", {**accepted, "id": f"{waiting['id'][:-1]}!"})

    (decided,) = events(audited, "approval.decided")
    told = {name: decided[name] for name in ("subject", "task", "action", "channel", "is_over")}
    assert told == {
        "subject": "grace", "task": task.id, "action": "accept", "channel": "approval_decide", "is_over": True
    }  # fmt: skip
    assert len(decided["shown"]) == len("0123456789abcdef") * 4
    refused = [(each["subject"], each["reason"]) for each in events(audited, "request.refused")]
    assert refused == [("ada", "own_approval"), ("linus", "decided_already"), ("linus", "unknown_approval")]
    assert str(AMOUNT) not in str([{**each, "msecs": 0, "created": 0, "relativeCreated": 0} for each in audited])
