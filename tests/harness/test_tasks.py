"""The fixture keeps its own promises."""

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.client import NoResult
from tests.harness.tasks import DeployedTasks
from tests.kit import BOB, EVE


def test_a_tool_that_is_called_without_a_task_sleeps_in_no_time(tasks: DeployedTasks) -> None:
    before = tasks.harness.clock.now()

    assert tasks.call("slow", steps=1).text == "done"
    assert 10 <= (tasks.harness.clock.now() - before).total_seconds() < 12


def test_a_tool_that_is_called_without_a_task_outlives_its_process_all_the_same(tasks: DeployedTasks) -> None:
    assert tasks.call("frail", deaths=1).text == "attempt 2"


def test_a_call_whose_tool_never_is_a_task_and_dies_is_answered_with_an_error(tasks: DeployedTasks) -> None:
    with pytest.raises(McpError, match="Internal error"):
        tasks.call("mortal")


def test_a_call_that_takes_too_long_is_answered_with_a_task_handle_and_is_waited_for_by_a_tool(
    tasks: DeployedTasks,
) -> None:
    handed = tasks.call("slow", steps=6)
    task_id = handed.structured["task_id"]

    assert not handed.is_error
    assert "slow is still working" in handed.text
    assert task_id in handed.text
    assert "still working" in tasks.call("task_result", task_id=task_id).text
    assert "still working" in tasks.call("task_result", task_id=task_id, wait_seconds=20).text
    assert tasks.call("task_result", task_id=task_id, wait_seconds=20).text == "done"


def test_a_task_with_a_handle_can_be_cancelled_by_a_tool(tasks: DeployedTasks) -> None:
    task_id = tasks.call("slow", steps=6).structured["task_id"]

    assert not tasks.call("task_cancel", task_id=task_id).is_error
    assert tasks.call("task_result", task_id=task_id).text == "The task was cancelled: there is no result."
    assert tasks.find(task_id).status == "cancelled"


def test_there_is_no_result_before_there_is_one(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=3)

    with pytest.raises(NoResult):
        task.result  # noqa: B018  (reading it raises)
    assert tasks.run("slow", steps=1).text == "done"


def test_invalid_arguments_are_rejected_by_the_tool(tasks: DeployedTasks) -> None:
    result = tasks.run("slow", steps="many")

    assert result.is_error
    assert "steps" in result.text


def test_an_unknown_tool_is_rejected(tasks: DeployedTasks) -> None:
    with pytest.raises(McpError, match="no tool 'nonsense'"):
        tasks.start("nonsense")


@pytest.mark.parametrize("other", [BOB, EVE])
def test_nobody_else_sees_the_task(tasks: DeployedTasks, other: Caller) -> None:
    task = tasks.start("slow", steps=1)

    with pytest.raises(McpError, match="no task"):
        tasks.client(other).get_task(task.id)
