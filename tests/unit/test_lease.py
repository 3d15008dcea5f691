"""The lease on the stream's tail: who holds it, and what happens to it in a crash, a delay or an error."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from botocore.exceptions import ReadTimeoutError

from mcp_tasks.ports.waiter import Waker
from tests.limited_stream import rejection
from tests.task_stream import GUARD, OWNER_KEY, POLL, TASK, TIMEOUT, TaskStream, paused, task_stream


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, object]]:
    """Return which fallbacks were logged, and how urgently."""
    found = [(record.levelname, vars(record).get("fallback")) for record in caplog.records]
    return [(level, fallback) for level, fallback in found if fallback]


@pytest.fixture
def table() -> Iterator[TaskStream]:
    with task_stream() as made:
        yield made


def failing(operation: str) -> Callable[..., object]:
    def fail(**_: object) -> object:
        raise rejection("InternalServerError", operation)

    return fail


def test_one_waiter_tails_and_the_next_one_polls(table: TaskStream) -> None:
    first, second = table.tail("first"), table.tail("second")
    with first.watch(OWNER_KEY, TASK) as tailing, second.watch(OWNER_KEY, TASK) as polling:
        slow, quick = paused(table, tailing), paused(table, polling)

    assert GUARD[0] <= slow <= GUARD[1]
    assert POLL[0] <= quick <= POLL[1]
    assert table.stream.read_shards("second") == set()


def test_who_is_not_admitted_asks_aws_nothing_about_the_stream(table: TaskStream) -> None:
    assert table.lease().take("somebody else")

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        watch.pause(TIMEOUT)

    assert table.stream.reads == []
    assert table.stream.described == []


def test_who_is_not_admitted_says_so_without_alarm(table: TaskStream, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert table.lease().take("somebody else")

    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert [watch.pause(TIMEOUT) for _ in range(3)] == [Waker.POLL] * 3

    assert logged(caplog) == [("INFO", "tail_taken")]


def test_closing_a_watch_lets_the_next_one_tail(table: TaskStream) -> None:
    with table.tail("first").watch(OWNER_KEY, TASK):
        pass

    with table.tail("second").watch(OWNER_KEY, TASK) as watch:
        watch.pause(TIMEOUT)

    assert table.stream.read_shards("second") == {"shard-1"}


def test_a_failure_inside_the_watch_gives_the_lease_back(table: TaskStream) -> None:
    with pytest.raises(LookupError), table.tail().watch(OWNER_KEY, TASK):
        raise LookupError

    assert table.lease_item() is None


def test_who_was_not_admitted_leaves_the_lease_alone(table: TaskStream) -> None:
    assert table.lease().take("somebody else")

    with table.tail().watch(OWNER_KEY, TASK):
        pass

    held = table.lease_item()
    assert held is not None
    assert held["holder"] == {"S": "somebody else"}


def test_who_was_not_admitted_has_nothing_to_give_back(
    table: TaskStream, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(table.table, "delete_item", failing("DeleteItem"))
    assert table.lease().take("somebody else")

    with table.tail().watch(OWNER_KEY, TASK):
        pass

    assert caplog.records == []


def test_a_lease_that_may_have_been_taken_is_given_back(table: TaskStream, monkeypatch: pytest.MonkeyPatch) -> None:
    take = table.table.update_item

    def take_and_lose_the_answer(**request: object) -> object:
        take(**request)
        raise ReadTimeoutError(endpoint_url="https://dynamodb")

    monkeypatch.setattr(table.table, "update_item", take_and_lose_the_answer)
    with table.tail().watch(OWNER_KEY, TASK):
        held = table.lease_item()

    assert held is None


def test_the_lease_carries_a_ttl(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK):
        held = table.lease_item()

    assert held is not None
    assert held["expiresAt"] == {"N": str(int((table.clock.now() + timedelta(seconds=40)).timestamp()))}


def test_a_lease_whose_holder_crashed_can_be_had_after_its_term(table: TaskStream) -> None:
    crashed = table.tail("crashed").watch(OWNER_KEY, TASK)
    crashed.__enter__()

    table.clock.advance(timedelta(seconds=39))
    assert not table.lease().take("too early")
    table.clock.advance(timedelta(seconds=1))
    assert table.lease().take("in time")


def test_a_wait_that_outlasts_the_lease_renews_it(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        while table.clock.elapsed < 120:
            paused(table, watch)

            assert not table.lease().take("somebody else")


def test_a_short_wait_writes_the_lease_once(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        taken = table.lease_item()
        while table.clock.elapsed < 25:
            paused(table, watch)

        assert table.lease_item() == taken


def test_who_overslept_its_lease_stops_reading_polls_and_says_so(
    table: TaskStream, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with table.tail("sleeper").watch(OWNER_KEY, TASK) as watch:
        table.clock.advance(timedelta(seconds=41))
        with table.tail("heir").watch(OWNER_KEY, TASK) as heir:
            heir.pause(TIMEOUT)
            reads = len(table.stream.reads)

            before = table.clock.elapsed
            assert watch.pause(TIMEOUT) is Waker.POLL
            assert table.clock.elapsed == before
            assert POLL[0] <= paused(table, watch) <= POLL[1]
            assert len(table.stream.reads) == reads
    assert table.lease_item() is None
    assert logged(caplog) == [("INFO", "tail_taken")]


def test_who_overslept_its_lease_leaves_that_of_its_heir_alone(table: TaskStream) -> None:
    with table.tail().watch(OWNER_KEY, TASK):
        table.clock.advance(timedelta(seconds=41))
        assert table.lease().take("heir")

    held = table.lease_item()
    assert held is not None
    assert held["holder"] == {"S": "heir"}


@pytest.mark.parametrize("operation", ["update_item", "delete_item"])
def test_a_lease_that_fails_fails_no_wait(
    table: TaskStream, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, operation: str
) -> None:
    monkeypatch.setattr(table.table, operation, failing(operation))
    with table.tail().watch(OWNER_KEY, TASK) as watch:
        assert paused(table, watch) <= GUARD[1]

    fallback = {"update_item": "tail_failed", "delete_item": "lease_left_to_lapse"}[operation]
    assert ("WARNING", fallback) in logged(caplog)
    assert {record.levelname for record in caplog.records} == {"WARNING"}
