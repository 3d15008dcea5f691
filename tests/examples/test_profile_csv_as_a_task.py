"""A table is profiled for a caller: given in the call or lying in the data bucket, with a task or without one."""

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import CALLER, Harness

PENGUINS = Path(__file__).parents[2] / "layers" / "examples" / "penguins.csv"
EVE = Caller(tenant="rival", subject="eve")


@pytest.fixture
def penguins(s3: Any, bucket: str) -> str:
    """The penguins in the folder of the caller's tenant, by their name there."""
    s3.put_object(Bucket=bucket, Key=f"{CALLER.tenant}/penguins.csv", Body=PENGUINS.read_bytes())
    return "penguins.csv"


def test_a_table_in_the_call_is_profiled(client: Client) -> None:
    profile = client.start_task("profile_csv", {"csv": "a,b\n1,x\n2,x\n"}).wait().structured

    assert profile["rows"] == 2
    assert [(column["name"], column["type"]) for column in profile["columns"]] == [("a", "integer"), ("b", "text")]


def test_it_answers_without_a_task_too(harness: Harness, revision: str) -> None:
    plain, knows_tasks = harness.client(revision, tasks=False), harness.client(revision)
    table = {"csv": "a,b\n1,2\n"}

    assert plain.call_tool("profile_csv", table) == knows_tasks.start_task("profile_csv", table).wait()


def test_a_table_in_the_data_bucket_is_profiled(client: Client, penguins: str) -> None:
    assert client.start_task("profile_csv", {"source": penguins}).wait().structured["rows"] == 344


def test_another_tenants_table_is_not_there(harness: Harness, revision: str, penguins: str) -> None:
    result = harness.client(revision, EVE).start_task("profile_csv", {"source": penguins}).wait()

    assert (result.is_error, result.text) == (True, f"Your tenant has no object {penguins}.")


def test_what_is_no_table_fails_with_what_is_wrong(client: Client) -> None:
    result = client.start_task("profile_csv", {"csv": "a,b\n1\n"}).wait()

    assert (result.is_error, result.text) == (True, "Line 2 has 1 values for 2 columns.")
