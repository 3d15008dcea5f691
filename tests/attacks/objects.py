"""What a caller has on the server, in each state that it can be in."""

from datetime import timedelta
from typing import Any

from mcp_tasks.limits.tenants import MAX_RUNNING_TASKS
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.state_machines.resources import client as aws_client
from tests.attacks.identities import OWNER
from tests.attacks.kept import Kept
from tests.attacks.ways import APPROVAL_STATES, TASK_STATES
from tests.harness.tasks import DeployedTasks

LIFETIME = timedelta(minutes=10)
"""Of the tasks that are soon forgotten."""


def tasks_of(tasks: DeployedTasks, client: Client) -> dict[str, str]:
    """Start a task for each state, and return their ids."""

    def started(name: str, **arguments: Any) -> str:
        task_id = client.start_task(name, arguments).id
        tasks.harness.run_until_idle()
        return task_id

    deleted = started("forget")
    tasks.harness.advance(LIFETIME)
    tasks.harness.expire()
    expired = started("forget")
    tasks.harness.advance(LIFETIME)
    cancelled = started("rest")
    client.cancel_task(cancelled)
    tasks.harness.run_until_idle()
    found = {
        "working": started("rest"),
        "input_required": started("ask"),
        "completed": started("add", numbers=[1, 2]),
        "failed": started("fail"),
        "cancelled": cancelled,
    }
    assert [_status(client, task_id) for task_id in found.values()] == list(found)
    found |= {"queued": _queued(tasks, client), "expired": expired, "deleted": deleted}
    assert tuple(found) == TASK_STATES
    return found


def approvals_of(tasks: DeployedTasks, client: Client) -> dict[str, str]:
    """Ask for two approvals, of which the owner has decided the first, and return their ids as the inbox has them."""
    for _ in APPROVAL_STATES:
        client.start_task("ask_owner", {})
        tasks.harness.run_until_idle()
    first, second = client.call_tool("approval_list").structured["approvals"]
    decision = {"id": first["id"], "action": "accept", "content": {"name": "Zoë"}}
    assert not client.call_tool("approval_decide", decision).is_error
    tasks.harness.run_until_idle()
    return dict(zip(APPROVAL_STATES, (first["id"], second["id"]), strict=True))


def _queued(tasks: DeployedTasks, client: Client) -> str:
    """Start a task that waits for its turn, for as long as nothing is delivered: as if the owner ran many others."""
    before = Kept.of(tasks.harness.table)
    using = before.items[OWNER.owner_key, "using"] | {"running": {"N": str(MAX_RUNNING_TASKS)}}
    aws_client("dynamodb").put_item(TableName=before.table.name, Item=using)
    task_id = client.start_task("rest").id
    assert "turn" in str(client.get_task(task_id).message)
    # Whether a colleague's task waits behind it would depend on the counter to which the random id of that one leads.
    before.put_back(("using",))
    for counter in (each for each in before.table.items() if each["SK"]["S"].startswith("quota#")):
        aws_client("dynamodb").put_item(TableName=before.table.name, Item=counter | {"queued": {"N": "0"}})
    return task_id


def _status(client: Client, task_id: str) -> str:
    # Where a tool's error is a result of the task, it has completed.
    state = client.get_task(task_id)
    return "failed" if state.result.get("result", {}).get("isError") else state.status
