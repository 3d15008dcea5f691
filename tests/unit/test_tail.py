"""How the tail of the stream handles records, and a stream that fails."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from mcp_tasks.adapters.streams.shards import MAX_READ
from mcp_tasks.ports.waiter import Waker
from tests.cloud import TABLE
from tests.limited_stream import rejection
from tests.task_stream import GUARD, OWNER_KEY, POLL, READ_EVERY, TASK, TIMEOUT, TaskStream, paused, task_stream


@pytest.fixture
def table() -> Iterator[TaskStream]:
    with task_stream() as made:
        yield made


def test_the_positions_are_taken_before_the_watch_is_returned(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert paused(table, watch) == 0


def test_a_change_while_pausing_ends_the_pause_at_the_next_read(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(1.1, table.change)

        assert paused(table, watch) == 1.25


def test_one_change_wakes_once(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert paused(table, watch) == 0
        assert paused(table, watch) >= GUARD[0]


def test_what_happened_before_the_watch_does_not_wake(table: TaskStream) -> None:
    table.change()

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert paused(table, watch) >= GUARD[0]


@pytest.mark.parametrize(("owner_key", "task_id"), [(OWNER_KEY, "another"), ("acme#eve", TASK), ("other#ada", TASK)])
def test_another_task_does_not_wake(table: TaskStream, owner_key: str, task_id: str) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change(task_id, owner_key)

        assert paused(table, watch) >= GUARD[0]


@pytest.mark.parametrize("changed", [TASK, "0f9", "0fa"])
def test_each_of_several_tasks_wakes(table: TaskStream, changed: str) -> None:
    with table.tail().watch(OWNER_KEY, "0f9", TASK, "0fa") as watch:
        table.clock.after(1.1, lambda: table.change(changed))

        assert paused(table, watch) == 1.25
        assert paused(table, watch) >= GUARD[0]


@pytest.mark.parametrize(("owner_key", "task_id"), [(OWNER_KEY, "another"), ("acme#eve", TASK), ("acme#eve", "0f9")])
def test_another_than_these_does_not_wake(table: TaskStream, owner_key: str, task_id: str) -> None:
    with table.tail().watch(OWNER_KEY, "0f9", TASK) as watch:
        table.change(task_id, owner_key)

        assert paused(table, watch) >= GUARD[0]


def test_who_waits_for_no_task_leaves_the_stream_to_those_who_do(table: TaskStream) -> None:
    with table.tail("idle").watch(OWNER_KEY) as idle, table.tail("busy").watch(OWNER_KEY, TASK):
        assert idle.pause(TIMEOUT) is Waker.POLL
        assert table.stream.read_shards("idle") == set()
        assert [who for _, who in table.stream.calls] == []
        assert table.lease_item() is not None


def test_what_belongs_to_the_task_but_is_not_the_task_does_not_wake(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.write_step()

        assert paused(table, watch) >= GUARD[0]


def test_the_removal_of_the_task_wakes(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.table.delete_item(TableName=TABLE, Key={"PK": {"S": OWNER_KEY}, "SK": {"S": f"task#{TASK}"}})

        assert paused(table, watch) == 0


@pytest.mark.parametrize("changes_every", [0.05, 0.3, 7.0])
def test_a_shard_is_read_at_most_four_times_a_second(table: TaskStream, changes_every: float) -> None:
    table.clock.every(changes_every, table.change)
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        while table.clock.elapsed < 3:
            watch.pause(TIMEOUT)

    times = [at for at, _, _ in table.stream.reads]
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    assert min(gaps) >= READ_EVERY


def test_a_pause_says_whether_the_stream_ended_it(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert watch.pause(TIMEOUT) is Waker.STREAM
        assert watch.pause(TIMEOUT) is Waker.POLL
        assert watch.pause(timedelta(seconds=0.3)) is Waker.POLL


def test_a_change_just_before_the_guard_reads_is_found_on_the_stream(table: TaskStream) -> None:
    table.clock.after(3.45, table.change)
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert watch.pause(TIMEOUT) is Waker.STREAM
        assert table.clock.elapsed == 3.5


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 2.0), (0.5, 3.5), (1.0, 5.0)])
def test_the_guard_is_spread_by_chance(table: TaskStream, chance: float, seconds: float) -> None:
    table.chance = chance
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert paused(table, watch) == seconds


def test_a_third_reader_of_a_shard_gives_up_and_polls(table: TaskStream) -> None:
    for name in ("on_task_change", "an adopter's own"):
        other = table.stream.reader(name)
        place = other.get_shard_iterator(StreamArn=table.stream.arn, ShardId="shard-1", ShardIteratorType="LATEST")
        table.clock.every(0.2, partial(other.get_records, **place))
    table.clock.advance(timedelta(seconds=1))

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert paused(table, watch) == 0
        assert POLL[0] <= paused(table, watch) <= POLL[1]
        assert table.lease_item() is None
        assert [who for _, who in table.stream.calls].count("tail") == 1


FAILURES = [
    rejection("LimitExceededException", "GetRecords"),
    rejection("ProvisionedThroughputExceededException", "GetRecords"),
    rejection("ThrottlingException", "GetRecords"),
    rejection("ResourceNotFoundException", "GetRecords"),
    rejection("InternalServerError", "GetRecords"),
    rejection("AccessDeniedException", "GetRecords"),
    EndpointConnectionError(endpoint_url="https://streams.dynamodb"),
    ReadTimeoutError(endpoint_url="https://streams.dynamodb"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: str(failure)[:60])
@pytest.mark.parametrize("fails_after", [None, 0.0, 1.1])
def test_a_stream_that_fails_is_logged_once_and_polled_around(
    table: TaskStream, caplog: pytest.LogCaptureFixture, failure: Exception, fails_after: float | None
) -> None:
    def fail() -> None:
        table.stream.failure = failure

    if fails_after is None:
        fail()
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(fails_after or 0.0, fail)
        table.clock.advance(timedelta())
        before = table.clock.elapsed
        woken_by = watch.pause(TIMEOUT)
        first = table.clock.elapsed - before
        later = [paused(table, watch) for _ in range(5)]
        held = table.lease_item()

    assert first < GUARD[0]
    assert all(POLL[0] <= seconds <= POLL[1] for seconds in later)
    assert held is None
    assert woken_by is Waker.POLL
    assert [(record.levelname, vars(record)["fallback"]) for record in caplog.records] == [("WARNING", "tail_failed")]


def test_a_waiter_that_the_stream_outruns_polls(table: TaskStream, caplog: pytest.LogCaptureFixture) -> None:
    def write() -> None:
        for number in range(MAX_READ):
            table.change(f"another-{number}")

    caplog.set_level("INFO")
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(1.1, write)

        assert paused(table, watch) == 1.25
        assert POLL[0] <= paused(table, watch) <= POLL[1]
        assert table.lease_item() is None
    assert [(record.levelname, vars(record)["fallback"]) for record in caplog.records] == [("INFO", "tail_outrun")]


def test_what_wakes_is_found_among_as_many_records(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()
        for number in range(MAX_READ - 1):
            table.change(f"another-{number}")

        assert watch.pause(TIMEOUT) is Waker.STREAM
        assert paused(table, watch) >= GUARD[0]


def test_a_watch_after_a_failure_tails_again(table: TaskStream) -> None:
    waiter = table.tail()
    table.stream.failure = rejection("InternalServerError", "DescribeStream")
    with waiter.watch(OWNER_KEY, TASK):
        table.stream.failure = None

    with waiter.watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert paused(table, watch) == 0
