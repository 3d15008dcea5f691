"""A refund on the deployed server: asked for by ada, whose client can be asked nothing, and decided by grace."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.approvals.people import FINANCE
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA, BOB

GRACE, FINANCIAL_ADA = replace(ADA, subject="grace", roles=FINANCE), replace(ADA, roles=FINANCE)


@pytest.fixture
def tools_module() -> str:
    return "tests.approvals.sample_tools"


@pytest.mark.parametrize("asker", [ADA, FINANCIAL_ADA], ids=["no role", "of finance herself"])
def test_a_refund_is_decided_by_a_second_person(tasks: DeployedTasks, asker: object) -> None:
    client = tasks.connect(asker, capabilities={})  # type: ignore[arg-type]
    started = client.start_task("refund", {"order": "A7"})
    tasks.harness.run_until_idle()
    grace, bob = tasks.connect(GRACE, capabilities={}), tasks.connect(BOB, capabilities={})

    tasks.harness.advance(timedelta(hours=2))
    (waiting,) = grace.call_tool("approval_list").structured["approvals"]
    for other in (client, bob):
        assert other.call_tool("approval_list").structured["approvals"] == []
        decision = {"id": waiting["id"], "action": "accept", "content": {"amount": 1}}
        assert other.call_tool("approval_decide", decision).is_error
    assert started.status_message == "Waits for an answer of role finance."

    decided = grace.call_tool("approval_decide", {**decision, "content": {"amount": 7}})
    tasks.harness.run_until_idle()

    assert decided.structured["is_over"]
    assert started.result.text == "Accepted 7 by grace"
    assert grace.call_tool("approval_list").structured["approvals"] == []
