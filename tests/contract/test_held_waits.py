"""The contract of `HeldWaits`, in memory and on DynamoDB."""

from datetime import timedelta

from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.ports.held_waits import HeldWaits
from tests.contract.store_actions import at_once
from tests.kit import FixedClock


def test_a_tenant_holds_as_many_waits_as_its_limit_and_no_other_tenants(held_waits: HeldWaits) -> None:
    receipts = [held_waits.begin("acme", 3) for _ in range(4)]

    assert [receipt is None for receipt in receipts] == [False] * 3 + [True]
    assert held_waits.count("acme") == 3
    assert held_waits.begin("rival", 1) is not None
    assert held_waits.begin("other", 0) is None


def test_a_wait_that_ended_makes_room_for_one(held_waits: HeldWaits, clock: FixedClock) -> None:
    receipts = [held_waits.begin("acme", 3) for _ in range(3)]
    # The end may come in the next window.
    clock.advance(timedelta(seconds=25))

    held_waits.end("acme", receipts[0] or "")

    assert [held_waits.begin("acme", 3) is None for _ in range(2)] == [False, True]
    assert held_waits.count("acme") == 3


def test_threads_that_race_hold_exactly_the_limit(held_waits: HeldWaits) -> None:
    answers: list[object] = []

    at_once(*[lambda: answers.append(held_waits.begin("acme", 5))] * 20)

    assert answers.count(None) == 15


def test_a_wait_whose_process_died_is_forgotten_within_a_minute(table: Table, clock: FixedClock) -> None:
    held_waits = DynamoHeldWaits(table=table)
    clock.advance(timedelta(seconds=29))
    held_waits.begin("acme", 1)
    clock.advance(timedelta(seconds=25))

    assert held_waits.begin("acme", 1) is None

    clock.advance(timedelta(seconds=35))

    assert held_waits.begin("acme", 1) is not None


def test_a_wait_that_ends_late_takes_nobodys_place(table: Table, clock: FixedClock) -> None:
    held_waits = DynamoHeldWaits(table=table)
    late = held_waits.begin("acme", 1)
    clock.advance(timedelta(minutes=2))
    held_waits.begin("acme", 1)

    held_waits.end("acme", late or "")

    assert held_waits.begin("acme", 1) is None
