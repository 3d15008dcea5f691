"""A table is profiled for a caller: given in the call or lying in the data bucket, with a task or without one."""

import os
from pathlib import Path

import pytest

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA, EVE

PENGUINS = Path(__file__).parents[2] / "layers" / "examples" / "penguins.csv"


@pytest.fixture
def tools_module() -> str:
    return "examples"


@pytest.fixture
def penguins(tasks: DeployedTasks) -> str:
    """The penguins in Ada's tenant's folder, by their name there."""
    key = f"{ADA.tenant}/penguins.csv"
    client("s3").put_object(Bucket=os.environ["DATA_BUCKET"], Key=key, Body=PENGUINS.read_bytes())
    return "penguins.csv"


def test_a_table_in_the_call_is_profiled(tasks: DeployedTasks) -> None:
    profile = tasks.run("profile_csv", csv="a,b\n1,x\n2,x\n").structured

    assert profile["rows"] == 2
    assert [(column["name"], column["type"]) for column in profile["columns"]] == [("a", "integer"), ("b", "text")]


def test_it_answers_without_a_task_too(tasks: DeployedTasks) -> None:
    assert tasks.call("profile_csv", csv="a,b\n1,2\n") == tasks.run("profile_csv", csv="a,b\n1,2\n")


def test_a_table_in_the_data_bucket_is_profiled(tasks: DeployedTasks, penguins: str) -> None:
    assert tasks.run("profile_csv", source=penguins).structured["rows"] == 344


def test_a_table_that_fills_an_item_of_the_store_is_profiled(tasks: DeployedTasks) -> None:
    rows = [f"{number},{'x' * 1000}" for number in range(600)]

    assert tasks.run("profile_csv", csv="\n".join(["number,text", *rows])).structured["rows"] == 600


def test_another_tenants_table_is_not_there(tasks: DeployedTasks, penguins: str) -> None:
    result = tasks.run("profile_csv", as_caller=EVE, source=penguins)

    assert (result.is_error, result.text) == (True, f"Your tenant has no object {penguins}.")


def test_what_is_no_table_fails_with_what_is_wrong(tasks: DeployedTasks) -> None:
    result = tasks.run("profile_csv", csv="a,b\n1\n")

    assert (result.is_error, result.text) == (True, "Line 2 has 1 values for 2 columns.")
