"""The contract of `ToolDurations` on DynamoDB: what is written, how often, and what of it is believed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from mcp_tasks.adapters.dynamodb.durations import DynamoDurations
from mcp_tasks.adapters.dynamodb.items import primary_key
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.durations import Durations
from tests.contract.faults import FaultyClient
from tests.kit import FixedClock

KEY = primary_key("acme", "took", "greet")
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def test_what_is_measured_is_written_once_a_minute_and_read_as_often(table: Table, clock: FixedClock) -> None:
    writer, reader = DynamoDurations(table=table), DynamoDurations(table=table)
    assert reader.of("acme", "greet") is None
    for _ in range(30):
        writer.add("acme", "greet", 60 * SECOND)

    assert (table.get(KEY) or {})["writes"] == {"N": "1"}
    assert reader.of("acme", "greet") is None

    clock.advance(MINUTE)
    writer.add("acme", "greet", 60 * SECOND)

    assert (table.get(KEY) or {})["writes"] == {"N": "2"}
    assert reader.of("acme", "greet") == Durations().adding([60 * SECOND] * 31)


def test_two_processes_lose_nothing_but_time(table: Table, clock: FixedClock) -> None:
    for process in (DynamoDurations(table=table), DynamoDurations(table=table)):
        process.add("acme", "greet", SECOND)

    assert DynamoDurations(table=table).of("acme", "greet") == Durations().adding([SECOND] * 2)


def test_a_tenant_learns_nothing_of_another_one(table: Table) -> None:
    DynamoDurations(table=table).add("acme", "greet", SECOND)

    assert DynamoDurations(table=table).of("rival", "greet") is None
    assert table.get(KEY) is not None


@pytest.mark.parametrize("counts", ['{"x": []}', f'{{"1": {10**400}}}'], ids=["no counts", "more than can be counted"])
def test_a_damaged_histogram_is_none_and_is_made_anew(table: Table, counts: str) -> None:
    durations = DynamoDurations(table=table)
    durations.add("acme", "greet", SECOND)
    table.put({**(table.get(KEY) or {}), "counts": {"S": counts}})

    assert DynamoDurations(table=table).of("acme", "greet") is None
    DynamoDurations(table=table).add("acme", "greet", 5 * SECOND)
    assert DynamoDurations(table=table).of("acme", "greet") == Durations().adding([5 * SECOND])


@pytest.mark.parametrize("damage", [{"goneAt": {"S": "soon"}}, {"writes": {"S": "many"}}, {"writes": {"N": "0.5"}}])
def test_whoever_meets_a_damaged_item_goes_on_without_a_histogram(table: Table, damage: Any) -> None:
    DynamoDurations(table=table).add("acme", "greet", SECOND)
    table.put({**(table.get(KEY) or {}), **damage})

    durations = DynamoDurations(table=table)
    durations.add("acme", "greet", SECOND)

    assert durations.of("acme", "greet") == (None if "goneAt" in damage else Durations().adding([SECOND]))


@pytest.mark.parametrize("operation", ["get_item", "update_item"])
@pytest.mark.parametrize(
    "fault",
    [
        ClientError({"Error": {"Code": "InternalServerError", "Message": ""}}, "any"),
        ReadTimeoutError(endpoint_url="https://dynamodb"),
    ],
    ids=["refused", "unanswered"],
)
def test_what_could_not_be_written_is_written_a_minute_later(
    table: Table, clock: FixedClock, operation: str, fault: Exception
) -> None:
    def strike(called: str, request: dict[str, Any]) -> None:
        if is_down and called == operation:
            raise fault

    is_down, durations = True, DynamoDurations(table=replace(table, client=FaultyClient(table.client, strike)))
    durations.add("acme", "greet", SECOND)
    assert durations.of("acme", "greet") is None

    is_down = False
    clock.advance(MINUTE)
    durations.add("acme", "greet", SECOND)

    assert durations.of("acme", "greet") == Durations().adding([SECOND] * 2)
