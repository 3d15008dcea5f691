"""What becomes of tasks when their table is restored to an earlier moment: `docs/operations.md` promises it."""

import pytest

from mcp_tasks.authoring.errors import McpError
from tests.attacks.kept import Kept
from tests.harness.executions import executions
from tests.harness.tasks import DeployedTasks


def test_a_task_that_ended_since_is_failed_by_the_sweep(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=1)
    moment = Kept.of(tasks.harness.table)
    tasks.advance(seconds=10)
    assert task.status == "completed"

    moment.put_back()
    assert task.status == "working"
    tasks.advance(minutes=6)

    assert (task.status, task.message) == ("failed", "The work ended, and its outcome was not recorded.")


def test_a_task_that_was_created_since_is_unknown_and_its_execution_ends(tasks: DeployedTasks) -> None:
    moment = Kept.of(tasks.harness.table)
    task = tasks.start("slow", steps=3)

    moment.put_back()
    tasks.advance(minutes=1)

    with pytest.raises(McpError, match="no task"):
        task.status  # noqa: B018  (reading it raises)
    assert "RUNNING" not in executions(tasks)
