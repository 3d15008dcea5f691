"""Revision 2025-11-25 rejects a cancellation of a task that is final."""

import pytest

from mcp_tasks.authoring.errors import McpError
from tests.harness.tasks import DeployedTasks


def test_a_cancelled_task_cannot_be_cancelled_again(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=120)
    task.cancel()
    tasks.advance(minutes=3)

    with pytest.raises(McpError, match="cancelled already"):
        task.cancel()
    assert (task.status, task.message) == ("cancelled", "Cancelled on request.")


def test_a_finished_task_cannot_be_cancelled(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=0)

    with pytest.raises(McpError, match="completed already"):
        task.cancel()
    assert task.result.text == "attempt 1"
