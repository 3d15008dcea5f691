"""The schema version of every item is written by one place, and items as they are kept of this release."""

import re
from pathlib import Path

import pytest

from mcp_tasks.adapters.dynamodb.schema import KINDS_WITHOUT_VERSION, SCHEMAS
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.tasks.events import CancelRequested
from tests.cloud import Cloud, scan
from tests.contract.store_actions import move
from tests.kit import ADA
from tests.releases import items as golden
from tests.releases.items import FRESH, MOVING, item_at

CORE = Path(__file__).parents[2] / "layers/core/python/mcp_tasks"


def test_every_item_but_counters_and_claims_has_a_schema_version(table: Table, aws: Cloud) -> None:
    golden.write_all(aws)

    items = scan(aws.dynamodb)
    assert {golden.kind_of(item) for item in items} == SCHEMAS.keys() | KINDS_WITHOUT_VERSION
    for item in items:
        known = SCHEMAS.get(golden.kind_of(item))
        assert item.get("schema") == (known and {"N": str(known)})
    assert not SCHEMAS.keys() & KINDS_WITHOUT_VERSION


def test_only_the_table_writes_so_that_no_item_goes_without() -> None:
    writing = re.compile(r"\b(put_item|update_item|transact_write_items|batch_write_item|execute_statement)\b")

    assert [file.name for file in CORE.rglob("*.py") if writing.search(file.read_text())] == ["table.py"]


def test_a_kind_without_a_version_cannot_be_written(table: Table) -> None:
    with pytest.raises(KeyError, match="odd"):
        table.put({"PK": {"S": "acme"}, "SK": {"S": "odd#1"}})


def test_items_are_written_as_those_kept_of_this_release() -> None:
    """Where this fails, readers of the release before have to be thought of, and the kept items to be written anew."""
    assert golden.written_now() == golden.kept(golden.RELEASE)


def test_an_item_of_0_1_has_the_version_of_this_release_once_it_is_updated(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    golden.put_all(aws, "0.1")

    move(dynamo_store, dynamo_store.read(ADA.owner_key, FRESH), CancelRequested(status_message="enough"))

    assert item_at(aws, f"task#{FRESH}")["schema"] == {"N": str(SCHEMAS["task"])}
    assert "schema" not in item_at(aws, f"task#{MOVING}")
