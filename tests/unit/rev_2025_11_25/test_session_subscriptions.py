"""Changes of subscribed resources: which sessions are notified, how often, and what ends the wait for them."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.memory.change_feed import MemoryChangeFeed
from mcp_tasks.engine.subscriptions import BETWEEN_READS
from mcp_tasks.limits.requests import MAX_SUBSCRIPTIONS
from mcp_tasks.limits.waits import SUBSCRIPTION_LIFETIME
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.subscriptions import SessionSubscriptions, TooManySubscriptions
from tests.kit import ADA, BOB, EVE, NOON, BusyWaiter, FixedClock
from tests.unit.jobs import MINUTE, service

HERE, THERE = "data://here", "data://there"
FIRST, SECOND = "session-1", "session-2"
NOT_AT_ALL = timedelta()


class Room:
    """A change feed, sessions that watch it, and a clock that advances while they wait."""

    def __init__(self, pace: timedelta = timedelta(seconds=1)) -> None:
        self.clock = FixedClock()
        self.waiter = BusyWaiter(clock=self.clock, pace=pace)
        self.tasks = service(clock=self.clock, waiter=self.waiter)
        self.all = SessionSubscriptions(
            store=MemorySessions(self.clock), change_feed=MemoryChangeFeed(self.clock), tasks=self.tasks
        )

    @property
    def waited(self) -> timedelta:
        return self.clock.now() - NOON

    def meanwhile(self, pauses: int, change: Any) -> None:
        self.waiter.meanwhile = lambda: self.waiter.pauses == pauses and change()

    def notified(self, session_id: str = FIRST, timeout: timedelta = NOT_AT_ALL, caller: Any = ADA) -> list[str]:
        return self.all.updated_uris(caller, session_id, timeout=timeout)


@pytest.fixture
def room() -> Room:
    return Room()


class TestSession:
    def test_reports_a_change_after_it_began_to_watch(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)

        assert room.notified() == [HERE]

    def test_reports_a_change_once_however_often_it_was_made(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)
        room.all.publish(ADA, HERE)

        assert (room.notified(), room.notified()) == ([HERE], [])

    def test_reports_the_next_change_too(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)
        room.notified()
        room.all.publish(ADA, HERE)

        assert room.notified() == [HERE]

    def test_does_not_report_earlier_changes(self, room: Room) -> None:
        room.all.publish(ADA, HERE)
        room.all.subscribe(ADA, FIRST, HERE)

        assert room.notified() == []

    def test_that_begins_again_has_missed_nothing(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)
        room.all.subscribe(ADA, FIRST, HERE)

        assert room.notified() == [HERE]

    def test_reports_only_what_it_watches(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, THERE)

        assert room.notified() == []

    def test_that_ended_reports_nothing(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.unsubscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)

        assert room.notified() == []

    def test_may_end_what_it_never_began(self, room: Room) -> None:
        room.all.unsubscribe(ADA, FIRST, HERE)

        assert room.notified() == []

    def test_is_sent_beside_every_other(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.subscribe(BOB, SECOND, HERE)
        room.all.publish(ADA, HERE)

        assert room.notified(FIRST) == [HERE]
        assert room.notified(SECOND, caller=BOB) == [HERE]

    def test_of_another_tenant_reports_nothing(self, room: Room) -> None:
        room.all.subscribe(EVE, FIRST, HERE)
        room.all.publish(ADA, HERE)

        assert room.notified(caller=EVE) == []

    def test_of_another_subject_is_no_session_of_mine(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.all.publish(ADA, HERE)

        assert room.notified(caller=BOB) == []

    def test_is_forgotten_when_nobody_ends_it(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.clock.advance(SUBSCRIPTION_LIFETIME + timedelta(seconds=1))
        room.all.publish(ADA, HERE)

        assert room.notified() == []


class TestMost:
    def test_a_session_watches_so_many_addresses_and_no_more(self, room: Room) -> None:
        addresses = [f"data://{number}" for number in range(MAX_SUBSCRIPTIONS)]
        for uri in addresses:
            room.all.subscribe(ADA, FIRST, uri)

        with pytest.raises(TooManySubscriptions):
            room.all.subscribe(ADA, FIRST, HERE)
        for uri in [*addresses, HERE]:
            room.all.publish(ADA, uri)
        assert sorted(room.notified()) == sorted(addresses)

    def test_subscribing_again_does_not_count_twice(self, room: Room) -> None:
        for number in range(MAX_SUBSCRIPTIONS):
            room.all.subscribe(ADA, FIRST, f"data://{number}")

        room.all.subscribe(ADA, FIRST, "data://0")

    def test_ending_one_makes_room(self, room: Room) -> None:
        for number in range(MAX_SUBSCRIPTIONS):
            room.all.subscribe(ADA, FIRST, f"data://{number}")
        room.all.unsubscribe(ADA, FIRST, "data://7")

        room.all.subscribe(ADA, FIRST, HERE)

        room.all.publish(ADA, HERE)
        assert room.notified() == [HERE]


class TestWaitingOfASession:
    def test_ends_with_the_first_change(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        room.meanwhile(5, lambda: room.all.publish(ADA, HERE))

        assert room.notified(timeout=MINUTE) == [HERE]
        assert room.waited <= timedelta(seconds=5) + BETWEEN_READS

    def test_ends_with_its_timeout(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)

        assert room.notified(timeout=timedelta(seconds=25)) == []
        assert room.waited == timedelta(seconds=25)

    def test_is_notified_of_what_it_began_to_watch_meanwhile(self, room: Room) -> None:
        def change() -> None:
            room.all.subscribe(ADA, FIRST, HERE)
            room.all.publish(ADA, HERE)

        room.meanwhile(3, change)

        assert room.notified(timeout=MINUTE) == [HERE]

    def test_is_sent_on_one_stream_only(self, room: Room) -> None:
        room.all.subscribe(ADA, FIRST, HERE)
        notified: list[list[str]] = []

        def change() -> None:
            room.all.publish(ADA, HERE)
            notified.append(room.notified())

        room.meanwhile(1, change)

        assert (room.notified(timeout=MINUTE), notified) == ([], [[HERE]])


def test_the_completion_of_an_elicitation_is_sent_once_to_each_session_that_waits_for_it(room: Room) -> None:
    for session in (FIRST, SECOND, FIRST):
        room.all.subscribe_to_completion(ADA, session, "el:1#a")
    room.all.complete(ADA, "el:1#a")
    room.all.complete(ADA, "el:1#a")

    notified = [list(room.all.completed_elicitations(ADA, session)) for session in (FIRST, SECOND, FIRST, "session-3")]

    assert notified == [["el:1#a"], ["el:1#a"], [], []]
    assert room.notified(FIRST) == []


@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_the_same_id_of_somebody_else_is_another_elicitation(room: Room, stranger: Any) -> None:
    room.all.subscribe_to_completion(ADA, FIRST, "el-1")
    room.all.complete(stranger, "el-1")

    assert list(room.all.completed_elicitations(ADA, FIRST)) == []


def test_a_session_that_waits_for_very_many_does_without_more_and_can_watch_all_the_same(room: Room) -> None:
    for number in range(MAX_SUBSCRIPTIONS + 1):
        room.all.subscribe_to_completion(ADA, FIRST, f"el-{number}")
        room.all.complete(ADA, f"el-{number}")
    room.all.subscribe(ADA, FIRST, HERE)

    assert set(room.all.completed_elicitations(ADA, FIRST)) == {f"el-{number}" for number in range(MAX_SUBSCRIPTIONS)}
