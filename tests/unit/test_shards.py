"""The tail follows the stream's shards: they close and split, iterators expire, records are trimmed."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from mcp_tasks.adapters.streams import shards
from mcp_tasks.adapters.streams.shards import CACHED_FOR, MAX_OPEN
from tests.task_stream import GUARD, OWNER_KEY, POLL, READ_EVERY, TASK, TIMEOUT, TaskStream, paused, task_stream


@pytest.fixture
def table() -> Iterator[TaskStream]:
    with task_stream() as made:
        yield made


def test_all_open_shards_are_read_and_closed_ones_are_not(table: TaskStream) -> None:
    table.stream.split("shard-1", "shard-2", "shard-3")
    table.stream.split("shard-3", "shard-4")

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert paused(table, watch) == 0
    assert table.stream.read_shards("tail") == {"shard-2", "shard-4"}


def test_shards_are_listed_page_by_page(table: TaskStream) -> None:
    table.stream.per_page = 2
    table.stream.split("shard-1", *(f"shard-{n}" for n in range(2, 7)))

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        watch.pause(TIMEOUT)

    assert table.stream.read_shards("tail") == {f"shard-{n}" for n in range(2, 7)}


def test_a_shard_that_closes_is_followed_into_its_children_from_their_beginning(table: TaskStream) -> None:
    def split_and_change() -> None:
        table.stream.split("shard-1", "shard-2", "shard-3")
        table.change()

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(0.6, split_and_change)

        # The map was asked for at 0 s and is again at 1 s: one read finds the children, the next one the change.
        assert paused(table, watch) == 1.25


def test_a_change_in_a_child_wakes_once(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.advance(timedelta(seconds=1))
        table.stream.split("shard-1", "shard-2")
        table.change()

        assert paused(table, watch) == READ_EVERY
        assert paused(table, watch) >= GUARD[0]


def test_a_change_just_before_a_shard_closes_is_noticed(table: TaskStream) -> None:
    def change_and_split() -> None:
        table.change()
        table.stream.split("shard-1", "shard-2")

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(0.6, change_and_split)

        assert paused(table, watch) == 0.75


def test_a_whole_line_of_descent_is_followed(table: TaskStream) -> None:
    def split_twice_and_change() -> None:
        table.stream.split("shard-1", "shard-2")
        table.stream.split("shard-2", "shard-3", "shard-4")
        table.change()

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.after(1.6, split_twice_and_change)

        # One read finds the first closed, one the second, one the change.
        assert paused(table, watch) == 2.25


def test_children_that_are_listed_late_are_found(table: TaskStream) -> None:
    def split_and_change() -> None:
        table.stream.split("shard-2", "shard-4", are_listed=False)
        table.stream.split("shard-3", "shard-5", are_listed=False)
        table.change()

    table.stream.split("shard-1", "shard-2", "shard-3", "shard-6")
    table.clock.after(0.6, split_and_change)
    table.clock.after(1.6, table.stream.list_all)
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        # The waiter looks for them once a second.
        assert 1.6 <= paused(table, watch) <= 1.6 + 1.0 + READ_EVERY
    assert {"shard-4", "shard-5"} & table.stream.read_shards("tail")


def test_the_guard_goes_on_while_no_shard_can_be_read(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.stream.split("shard-1", "shard-2", are_listed=False)
        for _ in range(3):
            assert GUARD[0] <= paused(table, watch) <= GUARD[1]

        table.stream.list_all()
        table.change()
        assert paused(table, watch) <= 1.0 + READ_EVERY


def test_a_map_of_the_shards_that_is_out_of_date_loses_nothing(table: TaskStream) -> None:
    waiter = table.tail()
    with waiter.watch(OWNER_KEY, TASK):
        pass
    table.stream.split("shard-1", "shard-2", "shard-3")
    table.clock.advance(CACHED_FOR / 2)

    with waiter.watch(OWNER_KEY, TASK) as watch:
        table.change()

        assert paused(table, watch) == READ_EVERY


def test_the_map_of_the_shards_is_kept_for_a_while(table: TaskStream) -> None:
    waiter = table.tail()
    for _ in range(10):
        with waiter.watch(OWNER_KEY, TASK):
            pass
    assert len(table.stream.described) == 1

    table.clock.advance(CACHED_FOR)
    with waiter.watch(OWNER_KEY, TASK):
        pass
    assert len(table.stream.described) == 2


def test_waiting_for_children_asks_once_a_second(table: TaskStream) -> None:
    table.stream.split("shard-1", "shard-2", "shard-3")
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.stream.split("shard-2", "shard-4", are_listed=False)
        while table.clock.elapsed < 20:
            watch.pause(TIMEOUT)

    assert len(table.stream.described) <= table.clock.elapsed + 1


def test_a_stream_with_too_many_shards_is_left_to_others(table: TaskStream) -> None:
    table.stream.split("shard-1", *(f"shard-{n}" for n in range(2, MAX_OPEN + 3)))

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert POLL[0] <= paused(table, watch) <= POLL[1]
        assert table.lease_item() is None
    assert table.stream.reads == []


def test_a_stream_without_an_open_shard_is_polled_around(table: TaskStream) -> None:
    table.stream.split("shard-1")

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert POLL[0] <= paused(table, watch) <= POLL[1]


def test_a_stream_with_a_long_list_of_shards_is_not_listed_to_its_end(
    table: TaskStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "MAX_LISTED", 5)
    table.stream.per_page = 2
    table.stream.split("shard-1", *(f"shard-{n}" for n in range(2, 11)))

    waiter = table.tail()
    for _ in range(3):
        with waiter.watch(OWNER_KEY, TASK) as watch:
            assert POLL[0] <= paused(table, watch) <= POLL[1]
    assert len(table.stream.described) == 3


def test_a_stream_that_splits_into_too_many_shards_is_left_to_others(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.stream.split("shard-1", *(f"shard-{n}" for n in range(2, MAX_OPEN + 3)))

        assert paused(table, watch) <= 1.0 + READ_EVERY
        assert POLL[0] <= paused(table, watch) <= POLL[1]


def test_an_iterator_that_expired_is_replaced_and_the_task_is_read_again_at_once(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.clock.advance(table.stream.iterator_lifetime)
        table.change()

        assert paused(table, watch) == 0
        assert paused(table, watch) >= GUARD[0]
        table.clock.after(0.1, table.change)
        assert paused(table, watch) == READ_EVERY


def test_iterators_that_are_used_do_not_expire(table: TaskStream) -> None:
    table.stream.iterator_lifetime = timedelta(seconds=10)
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        while table.clock.elapsed < 60:
            assert paused(table, watch) >= GUARD[0]


def test_records_that_were_trimmed_may_have_been_of_the_task(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        table.change()
        table.stream.trim()

        assert paused(table, watch) == 0
        assert paused(table, watch) >= GUARD[0]
        table.clock.after(0.1, table.change)
        assert paused(table, watch) == READ_EVERY
