"""A table that cannot be profiled is a task that failed; 2026-07-28 may answer such a call at once, without a task."""

import pytest

from tests.harness.tasks import DeployedTasks
from tests.kit import EVE


@pytest.fixture
def tools_module() -> str:
    return "examples"


def test_what_is_not_there_is_a_failed_task(tasks: DeployedTasks) -> None:
    task = tasks.start("profile_csv", as_caller=EVE, source="penguins.csv")

    assert task.status == "failed"
    assert task.result.is_error
    assert task.result.text == "Your tenant has no object penguins.csv."


def test_what_is_no_table_is_a_task_that_failed_with_what_is_wrong(tasks: DeployedTasks) -> None:
    task = tasks.start("profile_csv", csv="a,b\n1\n")

    assert (task.status, task.message) == ("failed", "Line 2 has 1 values for 2 columns.")
