"""A task whose journal, or whose arguments, are damaged in the table ends as failed, in words, and others go on."""

import pytest

from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, executions
from tests.harness.tasks import DeployedTask, DeployedTasks


def overwrite(tasks: DeployedTasks, task: DeployedTask, kind: str, **attributes: dict[str, str]) -> None:
    """Write attributes into the task's item of a kind, which has nothing of its value left."""
    table = tasks.harness.table
    (item,) = (each for each in table.items() if each["SK"]["S"].startswith(f"{kind}#{task.id}"))
    client("dynamodb").put_item(TableName=table.name, Item=item | attributes)


def answer(task: DeployedTask) -> None:
    """Respond to what a task asks."""
    (request,) = task.client.input_requests(task.id)
    request.accept(said="yes")


@pytest.mark.parametrize("kind", ["step", "args"])
def test_a_task_of_which_something_is_damaged_ends_failed_at_once_and_another_one_goes_on(
    tasks: DeployedTasks, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    damaged, whole = (tasks.start("curious", batches=[["a"]]) for _ in range(2))
    overwrite(tasks, damaged, kind, json={"S": "{SECRET"})

    answer(damaged)
    answer(whole)
    tasks.advance(minutes=10)

    assert (damaged.status, damaged.message) == ("failed", UnreadableItem.for_client)
    assert whole.result.text == "noted, yes"
    assert (set(executions(tasks)), active(tasks)) == ({"SUCCEEDED"}, 0)
    (record,) = (each for each in caplog.records if each.getMessage().startswith("a task ended as failed"))
    assert (vars(record)["fallback"], vars(record)["task"]) == ("unreadable_item", damaged.id)
    assert record.getMessage().endswith(" cannot be read: json does not fit")
    assert "SECRET" not in caplog.text


def test_a_task_of_which_a_newer_release_wrote_something_runs_again_for_that_to_read_it(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]])
    overwrite(tasks, task, "step", schema={"N": "99"})
    answer(task)
    tasks.advance(seconds=1)
    assert task.status == "working"

    overwrite(tasks, task, "step", schema={"N": "2"})
    tasks.advance(minutes=10)

    assert task.result.text == "noted, yes"
