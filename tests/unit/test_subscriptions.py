"""Changes of resources are published to a tenant, and awaited together with changes of tasks."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.memory.change_feed import MemoryChangeFeed
from mcp_tasks.authoring.elicitations import completion_key
from mcp_tasks.engine.subscriptions import BETWEEN_READS, Subscriptions
from mcp_tasks.fallbacks import forget_reported
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import Task
from tests.kit import ADA, BOB, EVE, NOON, BusyWaiter, FixedClock
from tests.unit.jobs import DAY, MINUTE, job, progress, service

HERE, THERE = "data://here", "data://there"
NOT_AT_ALL = timedelta()


class Room:
    """A change feed with a publisher and a listener, and a clock that advances while it waits."""

    def __init__(self, pace: timedelta = timedelta(seconds=1)) -> None:
        self.clock = FixedClock()
        self.waiter = BusyWaiter(clock=self.clock, pace=pace)
        self.tasks = service(clock=self.clock, waiter=self.waiter)
        self.all = Subscriptions(change_feed=MemoryChangeFeed(self.tasks.ports.clock), tasks=self.tasks)

    @property
    def waited(self) -> timedelta:
        return self.clock.now() - NOON

    def meanwhile(self, pauses: int, change: Any) -> None:
        self.waiter.meanwhile = lambda: self.waiter.pauses == pauses and change()


@pytest.fixture
def room() -> Room:
    return Room()


class TestListener:
    @pytest.fixture
    def task(self, room: Room) -> Task:
        return room.tasks.start(ADA, job, {}, ttl=DAY)

    def updates(self, room: Room, task: Task | None = None, *uris: str, timeout: timedelta = MINUTE) -> Any:
        tasks = {task.id: task.version} if task else {}
        return room.all.updates(ADA, tasks, room.all.versions(ADA, uris), timeout=timeout)

    def test_reports_tasks_alone(self, room: Room, task: Task) -> None:
        room.meanwhile(3, lambda: progress(room.tasks, task, 1))

        [moved], uris = self.updates(room, task)

        assert (moved.id, uris) == (task.id, [])

    def test_reports_uris_alone(self, room: Room) -> None:
        room.meanwhile(3, lambda: room.all.publish(ADA, THERE))

        assert self.updates(room, None, HERE, THERE) == ([], [THERE])

    def test_reports_both_at_once(self, room: Room, task: Task) -> None:
        def change() -> None:
            progress(room.tasks, task, 1)
            room.all.publish(ADA, HERE)

        room.meanwhile(3, change)
        [moved], uris = self.updates(room, task, HERE)

        assert (moved.id, uris) == (task.id, [HERE])

    def test_reports_nothing_older(self, room: Room, task: Task) -> None:
        room.all.publish(ADA, HERE)

        assert self.updates(room, task, HERE) == ([], [])
        assert room.waited == MINUTE

    def test_a_caller_that_does_not_wait_gets_the_current_updates(self, room: Room) -> None:
        before = room.all.versions(ADA, [HERE])
        room.all.publish(ADA, HERE)

        assert room.all.updates(ADA, {}, before, timeout=NOT_AT_ALL) == ([], [HERE])
        assert room.waiter.pauses == 0

    def test_of_another_tenant_reports_nothing(self, room: Room, task: Task) -> None:
        seen, before = {task.id: 0}, room.all.versions(EVE, [HERE])
        room.all.publish(ADA, HERE)

        assert room.all.updates(EVE, seen, before, timeout=MINUTE) == ([], [])

    def test_that_watches_tasks_only_does_not_read_the_change_feed(self) -> None:
        room = Room(pace=timedelta(seconds=30))
        task = room.tasks.start(ADA, job, {}, ttl=DAY)

        self.updates(room, task)

        assert room.waiter.pauses == MINUTE / timedelta(seconds=30)

    def test_is_told_of_a_change_of_a_resource_within_two_seconds_also_where_no_task_moves(self) -> None:
        room = Room(pace=MINUTE)
        task = room.tasks.start(ADA, job, {}, ttl=DAY)
        room.meanwhile(2, lambda: room.all.publish(ADA, HERE))

        assert self.updates(room, task, HERE) == ([], [HERE])
        assert room.waited == 2 * BETWEEN_READS


class DamagedFeed(MemoryChangeFeed):
    """A change feed whose item of one URI cannot be read."""

    def version(self, owner_key: str, uri: str) -> int:
        if uri == HERE:
            raise UnreadableItem(f"changes#{uri}", "cannot be read")
        return super().version(owner_key, uri)


def test_a_resource_whose_changes_cannot_be_read_hides_no_other_and_is_logged_with_its_tenant(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    forget_reported()
    damaged = Subscriptions(change_feed=DamagedFeed(room.clock), tasks=room.tasks)
    damaged.publish(ADA, THERE)

    assert damaged.versions(ADA, [HERE, THERE]) == {THERE: 1}
    assert damaged.newer(ADA, {HERE: 0, THERE: 0}) == {THERE: 1}
    (record,) = map(vars, caplog.records)
    assert (record["fallback"], record["tenant"]) == ("unreadable_item", ADA.tenant)


@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_the_end_of_an_elicitation_is_published_at_an_address_of_its_caller(room: Room, stranger: Any) -> None:
    mine = completion_key(ADA.owner_key, "el-1")
    before = room.all.versions(ADA, [mine])
    room.all.complete(stranger, "el-1")
    strangers = room.all.updates(ADA, {}, before, timeout=NOT_AT_ALL)
    room.all.complete(ADA, "el-1")

    assert (strangers, room.all.updates(ADA, {}, before, timeout=NOT_AT_ALL)) == (([], []), ([], [mine]))
