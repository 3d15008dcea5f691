"""The contract of `Waiter`: a caller that opens the watch, reads, then pauses misses no change."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import pytest

from mcp_tasks.adapters.memory.threads import ConditionWaiter
from mcp_tasks.adapters.polling import PollingWaiter
from mcp_tasks.ports.waiter import Waiter
from tests.limited_stream import rejection
from tests.task_stream import OWNER_KEY, TASK, TIMEOUT, TaskStream, streams, task_stream
from tests.timeline import Timeline

SOON = 1.0
GUARD = 5.0
SEVERAL = (TASK, "0f9", "0fa")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A waiter, and the table whose tasks it waits for."""

    waiter: Waiter
    table: TaskStream


class PlannedCondition(threading.Condition):
    """A condition whose waits advance a planned clock."""

    def __init__(self, clock: Timeline) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        self._clock.sleep(timedelta(seconds=timeout or 0))
        return True


def in_one_process(table: TaskStream) -> Waiter:
    return ConditionWaiter(PlannedCondition(table.clock))


def polling(table: TaskStream) -> Waiter:
    return PollingWaiter(clock=table.clock)


def tailing(table: TaskStream) -> Waiter:
    return table.tail()


def tailing_without_limits(table: TaskStream) -> Waiter:
    return table.tail(client=streams())


def refused(table: TaskStream) -> Waiter:
    table.clock.every(10, lambda: table.lease().take("somebody else"))
    assert table.lease().take("somebody else")
    return table.tail()


def tailing_a_stream_that_is_gone(table: TaskStream) -> Waiter:
    table.stream.failure = rejection("ResourceNotFoundException", "DescribeStream")
    return table.tail()


def tailing_a_stream_that_splits(table: TaskStream) -> Waiter:
    table.clock.after(0.4, lambda: table.stream.split("shard-1", "shard-2", "shard-3"))
    table.clock.after(3.1, lambda: table.stream.split("shard-2", "shard-4"))
    return table.tail()


WAITERS = [
    in_one_process,
    polling,
    tailing,
    tailing_without_limits,
    tailing_a_stream_that_is_gone,
    tailing_a_stream_that_splits,
    refused,
]


@pytest.fixture(params=WAITERS, ids=lambda make: make.__name__)
def waiting(request: pytest.FixtureRequest) -> Iterator[Waiting]:
    with task_stream() as table:
        yield Waiting(waiter=request.param(table), table=table)


def test_a_pause_never_lasts_longer_than_it_may(waiting: Waiting) -> None:
    clock = waiting.table.clock
    for milliseconds in (1, 100, 300, 1000, 3000):
        with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
            before = clock.now()
            watch.pause(timedelta(milliseconds=milliseconds))

        assert clock.now() - before <= timedelta(milliseconds=milliseconds)


def test_a_pause_ends_now_and_then_though_nothing_happens(waiting: Waiting) -> None:
    clock = waiting.table.clock
    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        for _ in range(20):
            before = clock.elapsed
            watch.pause(TIMEOUT)

            assert clock.elapsed - before <= GUARD


def test_waiting_for_nothing_does_not_spin(waiting: Waiting) -> None:
    clock = waiting.table.clock
    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        pauses = 0
        while clock.elapsed < TIMEOUT.total_seconds():
            watch.pause(TIMEOUT)
            pauses += 1

    assert pauses <= TIMEOUT.total_seconds() / 0.2


@pytest.mark.parametrize("task_ids", [(), SEVERAL, (TASK, TASK), tuple(f"{n:x}" for n in range(50))], ids=len)
def test_a_pause_ends_in_time_however_many_are_waited_for(waiting: Waiting, task_ids: tuple[str, ...]) -> None:
    clock = waiting.table.clock
    with waiting.waiter.watch(OWNER_KEY, *task_ids) as watch:
        for at_most, bound in [(TIMEOUT, timedelta(seconds=GUARD)), (timedelta(seconds=0.1), timedelta(seconds=0.1))]:
            before = clock.now()
            watch.pause(at_most)

            assert timedelta() < clock.now() - before <= bound


@pytest.mark.parametrize("changed", SEVERAL)
def test_a_change_of_any_of_several_is_noticed_soon(waiting: Waiting, changed: str) -> None:
    clock = waiting.table.clock
    clock.after(3.3, lambda: waiting.table.change(changed))
    with waiting.waiter.watch(OWNER_KEY, *SEVERAL) as watch:
        while clock.elapsed < 3.3:
            watch.pause(TIMEOUT)

    assert clock.elapsed - 3.3 <= SOON


@pytest.mark.parametrize("changed", SEVERAL)
def test_a_change_of_any_of_several_before_the_pause_is_noticed_soon(waiting: Waiting, changed: str) -> None:
    with waiting.waiter.watch(OWNER_KEY, *SEVERAL) as watch:
        waiting.table.change(changed)
        watch.pause(TIMEOUT)

    assert waiting.table.clock.elapsed <= SOON


def test_every_change_of_several_is_noticed_by_one_watch(waiting: Waiting) -> None:
    clock = waiting.table.clock
    changes = [(1.1, SEVERAL[2]), (1.2, SEVERAL[0]), (3.3, SEVERAL[1]), (8.0, SEVERAL[1]), (8.6, SEVERAL[2])]
    for seconds, task_id in changes:
        clock.after(seconds, partial(waiting.table.change, task_id))
    with waiting.waiter.watch(OWNER_KEY, *SEVERAL) as watch:
        for seconds, _ in changes:
            while clock.elapsed < seconds:
                watch.pause(TIMEOUT)

            assert clock.elapsed - seconds <= SOON


def test_a_change_between_opening_the_watch_and_the_pause_is_noticed_soon(waiting: Waiting) -> None:
    clock = waiting.table.clock
    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        waiting.table.change()
        watch.pause(TIMEOUT)

    assert clock.elapsed <= SOON


@pytest.mark.parametrize("seconds", [0.01, 0.25, 0.39, 0.41, 1.3, 4.99, 9.1, 22])
def test_a_change_while_waiting_is_noticed_soon(waiting: Waiting, seconds: float) -> None:
    clock = waiting.table.clock
    clock.after(seconds, waiting.table.change)
    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        while clock.elapsed < seconds:
            watch.pause(TIMEOUT)

    assert clock.elapsed - seconds <= SOON


def test_every_change_is_noticed_by_one_watch(waiting: Waiting) -> None:
    clock = waiting.table.clock
    times = [1.1, 1.2, 2.9, 3.3, 8.0, 8.6]
    for seconds in times:
        clock.after(seconds, waiting.table.change)
    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        for seconds in times:
            while clock.elapsed < seconds:
                watch.pause(TIMEOUT)

            assert clock.elapsed - seconds <= SOON


def test_two_who_wait_for_one_task_both_notice(waiting: Waiting) -> None:
    clock = waiting.table.clock
    with waiting.waiter.watch(OWNER_KEY, TASK) as first, waiting.waiter.watch(OWNER_KEY, TASK) as second:
        waiting.table.change()
        first.pause(TIMEOUT)
        after_first = clock.elapsed
        second.pause(TIMEOUT)

    assert after_first <= SOON
    assert clock.elapsed - after_first <= SOON


def test_what_fails_inside_a_watch_is_not_hidden_and_closes_it(waiting: Waiting) -> None:
    with pytest.raises(LookupError), waiting.waiter.watch(OWNER_KEY, TASK):
        raise LookupError

    with waiting.waiter.watch(OWNER_KEY, TASK) as watch:
        waiting.table.change()
        watch.pause(TIMEOUT)

    assert waiting.table.clock.elapsed <= SOON
