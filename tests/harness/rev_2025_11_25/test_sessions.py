"""Sessions on the deployed server, and what is listed and rejected in them."""

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.client import NotATask
from tests.harness.tasks import DeployedTasks
from tests.kit import BOB, EVE


def test_a_session_that_has_expired_is_opened_again(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=1)
    tasks.advance(hours=12)
    assert task.result.text == "done"

    tasks.advance(days=3)
    assert tasks.run("slow", steps=1).text == "done"


@pytest.mark.parametrize("other", [BOB, EVE])
def test_nobody_else_has_the_task_listed(tasks: DeployedTasks, other: Caller) -> None:
    tasks.start("slow", steps=1)

    assert tasks.client(other).request("tasks/list", {})["tasks"] == []


def test_a_tool_that_is_never_a_task_rejects_task_augmentation(tasks: DeployedTasks) -> None:
    with pytest.raises(NotATask, match="cannot be a task"):
        tasks.start("mortal")
