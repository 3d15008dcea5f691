"""The smallest tool has the smallest tests."""

import pytest

from mcp_tasks.testing.client import NotATask
from tests.stage.tasks import StagedTasks
from tools.greet import greet


def test_it_greets_by_name() -> None:
    assert greet(name="Ada") == "Hello, Ada!"


def test_it_greets_whoever_calls(tasks: StagedTasks) -> None:
    assert tasks.call("greet", name="Ada").text == "Hello, Ada!"


def test_it_is_never_a_task(tasks: StagedTasks) -> None:
    with pytest.raises(NotATask, match="cannot be a task"):
        tasks.start("greet", name="Ada")
