"""A machine's own states are of JSONPath or of JSONata, or some of either."""

import pytest

from mcp_tasks.authoring.errors import McpError
from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def test_states_of_both_languages_are_in_one_machine(tasks: DeployedTasks) -> None:
    assert tasks.run("lengths", words=["a", "bcd"]).structured == {"lengths": [1, 3]}


def test_an_error_in_a_state_of_jsonpath_is_the_tasks(tasks: DeployedTasks) -> None:
    task = tasks.start("lengths")
    tasks.advance(seconds=1)

    with pytest.raises(McpError, match=r"States\.Runtime"):
        task.result  # noqa: B018  (reading it raises)
