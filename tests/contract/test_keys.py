"""The contract of `Keys`, and what holds for the keys on DynamoDB in addition."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.key_rotation import rotate
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.limits.waits import KEYS_FRESH, KEYS_REREAD_AFTER
from mcp_tasks.ports.keys import Keys
from tests.cloud import Cloud, OneAtATime, scan
from tests.contract.faults import FaultyClient
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


def test_a_rotated_key_signs_at_once_and_is_found_by_processes_that_knew_none(table: Table) -> None:
    before, after = keys_of_a_process(table), keys_of_a_process(table)
    old = before.current()
    made = rotate(table, accepted_for=DAY)

    name, key = after.current()
    assert (name, made.retired) == (made.name, (old[0],))
    assert key != old[1]
    assert before.find(name) == key
    assert after.find(old[0]) == old[1]


def test_a_process_that_knew_the_key_before_signs_with_the_new_one_a_minute_later(
    table: Table, clock: FixedClock
) -> None:
    keys = keys_of_a_process(table)
    keys.current()
    made = rotate(table, accepted_for=DAY)
    clock.advance(KEYS_FRESH)

    assert keys.current()[0] == made.name


@pytest.mark.parametrize("knew", [False, True], ids=["a process that did not know it", "a process that did"])
@pytest.mark.parametrize("accepted_for", [timedelta(), DAY], ids=["at once", "a day later"])
def test_a_key_that_was_rotated_out_is_refused(
    table: Table, clock: FixedClock, accepted_for: timedelta, knew: bool
) -> None:
    keys = keys_of_a_process(table)
    name, key = keys.current()
    made = rotate(table, accepted_for=accepted_for)
    assert keys.find(name) == key
    assert made.until == clock.now() + accepted_for

    clock.advance(max(accepted_for, KEYS_FRESH))
    found = keys if knew else keys_of_a_process(table)
    assert found.find(name) is None
    assert found.find(made.name) is not None
    assert found.current()[0] == made.name


def test_keys_that_were_rotated_before_are_retired_by_the_next_rotation_and_not_given_more_time(
    table: Table, clock: FixedClock
) -> None:
    month = keys_of_a_process(table).current()[0]
    first = rotate(table, accepted_for=timedelta())
    second = rotate(table, accepted_for=DAY)

    keys = keys_of_a_process(table)
    assert set(second.retired) == {month, first.name}
    assert keys.find(month) is None
    assert keys.find(first.name) is not None
    clock.advance(DAY)
    assert keys.find(first.name) is None


def test_the_keys_of_the_months_before_are_retired_too(table: Table, clock: FixedClock) -> None:
    january = keys_of_a_process(table).current()[0]
    rotated = rotate(table, accepted_for=DAY).name
    clock.advance(timedelta(hours=1))
    clock.advance(datetime(2026, 2, 2, tzinfo=UTC) - clock.now())
    february = keys_of_a_process(table).current()[0]

    made = rotate(table, accepted_for=timedelta())

    assert set(made.retired) == {january, rotated, february}
    assert [keys_of_a_process(table).find(name) for name in made.retired] == [None] * 3


def test_a_process_that_knew_a_key_of_the_month_before_refuses_it_a_minute_after_it_was_retired(
    table: Table, clock: FixedClock
) -> None:
    keys = keys_of_a_process(table)
    january, secret = keys.current()
    clock.advance(datetime(2026, 2, 2, tzinfo=UTC) - clock.now())
    assert keys.find(january) == secret

    rotate(table, accepted_for=timedelta())
    clock.advance(timedelta(seconds=61))

    assert keys.find(january) is None


def test_each_month_has_its_own_key_after_a_rotation_too(table: Table, clock: FixedClock) -> None:
    keys = keys_of_a_process(table)
    rotate(table, accepted_for=DAY)
    clock.advance(31 * DAY)

    assert keys.current()[0] == "2026-02"


def test_a_key_of_the_next_month_that_somebody_made_whose_clock_is_ahead_is_retired_too(aws: Cloud) -> None:
    ahead = Table(client=aws.dynamodb, name="tasks", clock=FixedClock(datetime(2026, 2, 1, 0, 1, tzinfo=UTC)))
    stolen = DynamoKeys(ahead).current()[0]
    now = Table(client=aws.dynamodb, name="tasks", clock=FixedClock(datetime(2026, 1, 31, 23, 58, tzinfo=UTC)))
    made = rotate(now, accepted_for=timedelta())

    for table in (now, ahead):
        assert DynamoKeys(table).current()[0] == made.name
        assert DynamoKeys(table).find(stolen) is None
        assert DynamoKeys(table).find("2026-01") is None


def test_forged_names_of_rotated_keys_cost_a_read_in_a_second(aws: Cloud, clock: FixedClock) -> None:
    client = Counted(aws.dynamodb)
    keys = DynamoKeys(Table(client=client, name="tasks", clock=clock))
    keys.current()
    clock.advance(2 * KEYS_REREAD_AFTER)
    for number in range(100):
        assert keys.find(f"2026-01-{number:08x}") is None

    assert client.reads == 2


@pytest.mark.parametrize("number", range(4))
def test_of_two_rotations_at_once_the_key_of_the_last_is_accepted(aws: Cloud, clock: FixedClock, number: int) -> None:
    """The other one takes place before one of the first one's writes."""
    table = Table(client=aws.dynamodb, name="tasks", clock=clock)
    writes: list[str] = []

    def between(operation: str, request: Any) -> None:
        if operation in ("put_item", "update_item"):
            writes.append(operation)
            if len(writes) == number + 1:
                rotate(table, accepted_for=timedelta())

    rotate(replace(table, client=FaultyClient(aws.dynamodb, between)), accepted_for=timedelta())

    keys = keys_of_a_process(table)
    name, key = keys.current()
    assert keys.find(name) == key
    assert keys.find("2026-01") is None


def test_keys_of_audit_records_are_others_and_are_rotated_by_themselves(table: Table) -> None:
    signing, audits = DynamoKeys(table), DynamoKeys(table, AUDIT_KEYS)
    name, secret = signing.current()
    same, other = audits.current()
    assert (same, other == secret) == (name, False)

    made = rotate(table, accepted_for=DAY, partition=AUDIT_KEYS)
    assert DynamoKeys(table).current() == (name, secret)
    assert DynamoKeys(table, AUDIT_KEYS).current()[0] == made.name
    assert DynamoKeys(table, AUDIT_KEYS).find(name) == other

    assert DynamoKeys(table).find(made.name) is None
