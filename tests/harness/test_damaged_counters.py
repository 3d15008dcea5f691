"""A damaged counter is named, and repaired by the sweep from what it counts: no task ends otherwise than it would."""

from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.counters import from_home
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, executions
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

TEXT = {"S": "SECRET"}


def counters(tasks: DeployedTasks) -> dict[str, dict[str, Any]]:
    """Return the counters that are stored, without when they expire."""
    kinds = ("active", "running", "queued", "suspended")
    items = {each["SK"]["S"]: each for each in tasks.harness.table.items()}
    return {
        place: {name: value for name, value in item.items() if name in kinds}
        for place, item in items.items()
        if place.startswith(("quota#", "using"))
    }


def damage(tasks: DeployedTasks, place: str, **attributes: Any) -> None:
    """Overwrite attributes of the subject's counter, or of one of its tenant's."""
    table = tasks.harness.table
    (item,) = (each for each in table.items() if each["SK"]["S"] == place)
    client("dynamodb").put_item(TableName=table.name, Item=item | attributes)


@pytest.mark.parametrize(("kind", "name"), [("using", "running"), ("quota", "active")])
def test_a_task_ends_with_its_result_though_a_counter_was_damaged(
    tasks: DeployedTasks, kind: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    task, other = tasks.start("slow", steps=20), tasks.start("doze", hours=[1])
    place = "using" if kind == "using" else f"quota#{from_home(task.id)[0]}"
    damage(tasks, place, **{name: TEXT})

    tasks.advance(minutes=12)
    assert (task.result.text, active(tasks)) == ("done", 1)
    tasks.advance(hours=1)

    assert other.result.text == "rested, attempt 1"
    assert (set(executions(tasks)), active(tasks)) == ({"SUCCEEDED"}, 0)
    assert counters(tasks)[place][name] == {"N": "0"}
    assert f"item {place} of acme cannot be read: {name} does not fit" in caplog.text
    repaired = [vars(each) for each in caplog.records if vars(each).get("fallback") == "counter_recounted"]
    assert (ADA.tenant, place) in {(each["tenant"], each["counter"]) for each in repaired}
    assert "SECRET" not in caplog.text


def test_a_client_is_told_to_come_again_where_a_counter_is_damaged(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=20)
    damage(tasks, "using", active=TEXT)

    with pytest.raises(McpError, match="is damaged, which is repaired within minutes"):
        task.cancel()
    assert task.status == "working"
    tasks.advance(minutes=12)

    assert task.result.text == "done"
