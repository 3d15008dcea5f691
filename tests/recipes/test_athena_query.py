"""The code of the Athena recipe: what it makes of a query that Athena describes, and who may read its rows."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import boto3
import pytest
from moto import mock_aws

from mcp_tasks import Context, ResourceLink, ResourceNotFound
from tests.kit import ADA
from tests.unit.contexts import run_context

ID = "0a1b2c3d-0000-4000-8000-0123456789ab"
# docs.aws.amazon.com/athena/latest/APIReference/API_QueryExecution.html
DESCRIPTION = {"QueryExecutionId": ID, "Statistics": {"DataScannedInBytes": 2_500_000_000}}


@pytest.fixture
def recipe(project: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module, with a bucket that holds the rows of one query."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        module = import_module("tools.ask_warehouse")
        module._s3.cache_clear()
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket=module.BUCKET)
        s3.put_object(Bucket=module.BUCKET, Key=f"results/{ID}.csv", Body=b'"day"\n"2026-11-22"\n')
        yield module
        module._s3.cache_clear()


def asked() -> Context:
    return replace(run_context(), state_input=DESCRIPTION)


def test_what_was_scanned_and_its_price_are_told_with_a_link_to_the_rows(recipe: Any) -> None:
    text, link = recipe.ask_warehouse(sql="SELECT day FROM loads", context=asked())

    assert text == "Scanned 2.5 GB for $0.0125."
    assert link == ResourceLink(uri=f"query://{ID}", name="rows.csv", mime_type="text/csv")
    assert recipe.rows.work.read({"id": ID}, run_context()) == '"day"\n"2026-11-22"\n'


@pytest.mark.parametrize("id", [f"../results/{ID}", ID.replace("0", "f")])
def test_there_are_no_rows_but_those_of_the_callers_queries(recipe: Any, id: str) -> None:
    recipe.ask_warehouse(sql="SELECT 1", context=asked())

    with pytest.raises(ResourceNotFound):
        recipe.rows.work.read({"id": id}, run_context())


def test_another_tenant_reads_no_rows(recipe: Any) -> None:
    recipe.ask_warehouse(sql="SELECT 1", context=asked())
    stranger = replace(run_context(), caller=replace(ADA, tenant="globex"))

    with pytest.raises(ResourceNotFound):
        recipe.rows.work.read({"id": ID}, stranger)
