"""The contract of `Keys`, and what holds for the keys on DynamoDB in addition."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.ports.keys import Keys
from tests.cloud import Cloud, OneAtATime, scan
from tests.kit import FixedClock

DAY = timedelta(days=1)


class Counted:
    """A client that counts its reads."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.reads = 0

    def get_item(self, **request: Any) -> Any:
        self.reads += 1
        return self._client.get_item(**request)

    def put_item(self, **request: Any) -> Any:
        return self._client.put_item(**request)


def keys_of_a_process(table: Table) -> DynamoKeys:
    return DynamoKeys(table)


def test_the_current_key_is_long_enough_and_can_be_found_by_its_name(keys: Keys) -> None:
    name, key = keys.current()

    assert len(key) >= 16
    assert keys.current() == (name, key)
    assert keys.find(name) == key


@pytest.mark.parametrize(
    "name", ["", "nobody", "2026-13", "9999-12", "x" * 5_000, "\ud800"], ids=lambda name: repr(name[:8])
)
def test_there_is_no_key_by_any_other_name(keys: Keys, name: str) -> None:
    assert keys.find(name) is None


def test_all_processes_sign_with_one_key(table: Table) -> None:
    name, key = keys_of_a_process(table).current()
    other = keys_of_a_process(table)

    assert other.find(name) == key
    assert other.current() == (name, key)
    assert keys_of_a_process(table).current() == (name, key)


def test_processes_that_need_the_first_key_at_once_agree_on_it(table: Table) -> None:
    found: list[tuple[str, bytes]] = []
    threads = [threading.Thread(target=lambda: found.append(keys_of_a_process(table).current())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 6
    assert len(set(found)) == 1


def test_each_month_has_its_own_key(table: Table, clock: FixedClock) -> None:
    keys = keys_of_a_process(table)
    january = keys.current()
    clock.advance(31 * DAY)

    assert keys.current() != january


@pytest.mark.parametrize("fresh", [False, True], ids=["a process that knows it", "a process that does not"])
def test_a_key_verifies_what_it_signed_for_39_days_and_not_longer(table: Table, fresh: bool) -> None:
    last_of_january = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
    clock = table.clock
    assert isinstance(clock, FixedClock)
    keys = keys_of_a_process(table)
    name, key = keys.current()

    def found() -> bytes | None:
        return (keys_of_a_process(table) if fresh else keys).find(name)

    clock.advance(last_of_january + 39 * DAY - clock.now())
    assert found() == key

    clock.advance(30 * DAY)
    assert found() is None


def test_forged_names_cost_no_reads(aws: Cloud, clock: FixedClock) -> None:
    client = Counted(aws.dynamodb)
    keys = DynamoKeys(Table(client=client, name="tasks", clock=clock))
    for name in ("", "x", "2020-01", "2026-03", "2025-10", "2026-01-01", "2026-1"):
        assert keys.find(name) is None

    assert client.reads == 0

    for _ in range(5):
        assert keys.find("2025-12") is None
        assert keys.find("2025-11") is None

    assert client.reads == 2


def test_a_key_that_is_known_is_not_read_again(aws: Cloud, clock: FixedClock) -> None:
    client = Counted(aws.dynamodb)
    keys = DynamoKeys(Table(client=client, name="tasks", clock=clock))
    name, _ = keys.current()
    for _ in range(5):
        keys.current()
        keys.find(name)

    assert client.reads == 1


def test_a_key_made_a_moment_ago_by_somebody_whose_clock_is_ahead_is_found(table: Table, aws: Cloud) -> None:
    ahead = FixedClock(datetime(2026, 2, 1, 0, 1, tzinfo=UTC))
    name, key = DynamoKeys(Table(client=OneAtATime(aws.dynamodb), name=table.name, clock=ahead)).current()
    behind = FixedClock(datetime(2026, 1, 31, 23, 58, tzinfo=UTC))
    keys = DynamoKeys(Table(client=OneAtATime(aws.dynamodb), name=table.name, clock=behind))

    assert name == "2026-02"
    assert keys.find(name) == key


def test_a_key_that_did_not_exist_yet_is_found_once_it_does(table: Table) -> None:
    keys = keys_of_a_process(table)
    assert keys.find("2026-01") is None

    name, key = keys_of_a_process(table).current()

    assert keys.find(name) == key


def test_keys_live_where_no_caller_can_reach_them(table: Table, aws: Cloud) -> None:
    keys_of_a_process(table).current()

    assert [item["PK"]["S"] for item in scan(aws.dynamodb)] == ["!"]
