"""What auditors are told of decisions by other people, and of those that are refused."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from tests.approvals.people import FINANCE
from tests.harness.audited import audited as audited
from tests.harness.audited import events
from tests.harness.tasks import DeployedTasks
from tests.harness.test_retired_keys import table_of
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
    assert not {"actor", "actors"} & {*decided}
    assert str(AMOUNT) not in str([{**each, "msecs": 0, "created": 0, "relativeCreated": 0} for each in audited])


@pytest.mark.parametrize("names", [["agent"], ["agent", "planner"], ["a", "b", "c", "a"], [str(n) for n in range(8)]])
def test_all_who_acted_are_told_and_kept_who_acts_now_first(
    tasks: DeployedTasks, audited: list[dict[str, Any]], names: list[str]
) -> None:
    actor: Any = None
    for name in reversed(names):
        actor = {"sub": name, "iss": "https://agents.test"} | ({} if actor is None else {"act": actor})
    tasks.connect(ADA, capabilities={}).start_task("refund", {"order": "A7"})
    tasks.harness.run_until_idle()
    client = tasks.connect(replace(GRACE, actor=actor), capabilities={})
    (waiting,) = client.call_tool("approval_list").structured["approvals"]
    client.call_tool("approval_decide", {"id": waiting["id"], "action": "decline"})

    (decided,) = events(audited, "approval.decided")
    assert (decided["actor"], decided.get("actors", [decided["actor"]])) == (names[0], names)
    (past,) = (
        tasks.connect(GRACE, capabilities={}).call_tool("approval_list", {"state": "decided"}).structured["approvals"]
    )
    (told,) = past["decisions"]
    assert (told["actor"], told.get("actors", [told["actor"]])) == (names[0], names)
    inbox = DynamoInbox(table=table_of(tasks))
    (item,) = inbox.history("acme", "role:finance", before="", limit=9)
    assert item is not None
    assert item.decisions[-1].actor == actor
