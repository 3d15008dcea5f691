"""The fixture keeps its own promises."""

import pytest

from mcp_tasks.errors import McpError
from mcp_tasks.tenancy import Caller
from tests.kit import BOB, EVE
from tests.stage.door import BadGateway
from tests.stage.tasks import StagedTasks, StillWorking


def test_a_tool_that_is_called_without_a_task_sleeps_in_no_time(tasks: StagedTasks) -> None:
    before = tasks.stage.clock.now()

    assert tasks.call("slow", steps=3).text == "done"
    assert (tasks.stage.clock.now() - before).total_seconds() == 30


def test_a_tool_that_is_called_without_a_task_takes_the_call_down_with_it(tasks: StagedTasks) -> None:
    with pytest.raises(BadGateway, match="killed"):
        tasks.call("frail", deaths=1)


def test_there_is_no_result_before_there_is_one(tasks: StagedTasks) -> None:
    task = tasks.start("slow", steps=3)

    with pytest.raises(StillWorking):
        task.result  # noqa: B018  (reading it raises)
    assert tasks.run("slow", steps=1).text == "done"


def test_wrong_arguments_are_the_tools_to_refuse(tasks: StagedTasks) -> None:
    result = tasks.run("slow", steps="many")

    assert result.is_error
    assert "steps" in result.text


def test_an_unknown_tool_is_refused(tasks: StagedTasks) -> None:
    with pytest.raises(McpError, match="no tool 'nonsense'"):
        tasks.start("nonsense")


def test_a_session_that_has_expired_is_opened_again(tasks: StagedTasks) -> None:
    task = tasks.start("slow", steps=1)
    tasks.advance(hours=12)
    assert task.result.text == "done"

    tasks.advance(days=3)
    assert tasks.run("slow", steps=1).text == "done"


@pytest.mark.parametrize("other", [BOB, EVE])
def test_nobody_else_sees_the_task(tasks: StagedTasks, other: Caller) -> None:
    task = tasks.start("slow", steps=1)

    assert tasks.door(other).ask("tasks/list", {})["tasks"] == []
    with pytest.raises(McpError, match="no task"):
        tasks.door(other).ask("tasks/get", {"taskId": task.id})
