"""The smallest tool, called through the functions that are deployed."""

import pytest

from mcp_tasks.testing.client import NotATask
from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    return "examples"


def test_it_greets_the_caller(tasks: DeployedTasks) -> None:
    assert tasks.call("greet", name="Ada").text == "Hello, Ada!"


def test_it_is_never_a_task(tasks: DeployedTasks) -> None:
    with pytest.raises(NotATask):
        tasks.start("greet", name="Ada")
