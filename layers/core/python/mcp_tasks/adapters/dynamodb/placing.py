"""Writes a task together with its counts: as started where a slot is free, and as queued where none is.

Its home counter is tried unread.  Where that refuses, the counters are read before another is tried: a transaction that
fails costs ten times as much and more.  What was read and is refused all the same, another task took meanwhile; so of
all who try, one always succeeds.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from mcp_tasks.adapters.dynamodb.counters import KIND, from_home, mended_use, read_counters, share_at
from mcp_tasks.adapters.dynamodb.counting import change_of_active, counter_of, counting, kind_of
from mcp_tasks.adapters.dynamodb.items import Item, count_in
from mcp_tasks.adapters.dynamodb.table import Busy, ConditionFailed, Table
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.transitions import advance

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Choice(NamedTuple):
    """What is known of a tenant's counters: nothing at first, which is as if nobody else had been counted.

    `passed` are those that are always busy, as `conflict` says of the last.  The task gets no slot unless it `may_run`.
    """

    order: Sequence[int]
    plan: Plan
    read: Mapping[int, Item] = MappingProxyType({})
    passed: frozenset[int] = frozenset()
    conflict: Busy | None = None
    may_run: bool = True

    def with_room(self) -> int | None:
        """Return the first counter at which a task may become active."""
        return next(self._below("active", self.plan.active_tasks), None)

    def with_slot(self) -> int | None:
        """Return the first counter at which the task may run, which none may that is new while others wait anywhere."""
        if not self.may_run or any(self._count(each, "queued") > 0 for each in self.read):
            return None
        return next(self._below("running", self.plan.running_tasks), None)

    def to_wait_at(self, active_at: int | None) -> int:
        """Return the counter whose newcomers the task keeps back: one that has slots, and is written anyway if it may.

        At one without, newcomers to the others would pass it for good.
        """
        usual = self.order[0] if active_at is None else active_at
        return next((each for each in (usual, *self.order) if share_at(each, self.plan.running_tasks)), usual)

    def with_active(self) -> int | None:
        """Return the first counter at which an active task may end."""
        return next((each for each in self._left if not self.read or self._count(each, "active") > 0), None)

    @property
    def _left(self) -> Iterator[int]:
        return (each for each in self.order if each not in self.passed)

    def _below(self, name: str, limit: int) -> Iterator[int]:
        return (each for each in self._left if self._count(each, name) < share_at(each, limit))

    def _count(self, counter: int, name: str) -> int:
        return count_in(self.read.get(counter, {}), name)


@record
class Placing:
    """A write that replaces `before` by `after`; one of them is None where the task is new, or was deleted."""

    table: Table
    owner_key: str
    task_id: str
    before: Task | None
    after: Task | None
    plan: Plan = NO_PLAN

    def write(self, write: Callable[[Task | None, Sequence[Item]], T]) -> T:
        """Return what `write` does with the task as it is placed, and with the actions that count it.

        It writes a transaction that begins with the task and goes on with these.  Raises `ConditionFailed` where
        another condition did not hold, and `TooManyTasks` where the tenant, or its subject, has as many as it may.
        """
        choice = Choice(order=from_home(self.task_id), plan=self.plan)
        while True:
            active_at = self._active_at(choice)
            placed = self.after and _placed(self.after, choice, active_at)
            now = self.table.clock.now()
            counts = counting(self.owner_key, self.before, placed, self.plan, now=now, active_at=active_at)
            try:
                return write(placed, counts)
            except ConditionFailed as failed:
                choice = self._refused(choice, failed, counts)
            except Busy as busy:
                choice = self._passing(choice, busy, counts)

    def _active_at(self, choice: Choice) -> int | None:
        """Return the counter at which the task becomes active, or ends, if it does either."""
        change = change_of_active(self.before, self.after)
        if change == 0:
            return None
        counter = choice.with_room() if change > 0 else choice.with_active()
        if counter is None and choice.conflict is not None:
            raise choice.conflict
        if counter is None and change > 0:
            raise TooManyTasks(self.plan.active_tasks)
        if counter is None:
            # Impossible while the sum is right; but were a counter damaged, tasks must still be able to end.
            logger.error("no task of the tenant is counted, yet one ends: %s", self.task_id)
        return counter

    def _refused(self, choice: Choice, failed: ConditionFailed, counts: Sequence[Item]) -> Choice:
        """Return what is known after conditions failed; raises the failure if it is not of the counts alone."""
        refused = {kind_of(counts[at - 1]): at for at in failed.failed if 1 <= at <= len(counts)}
        if not refused or 0 in failed.failed:
            raise failed
        if "using" in refused and not self._mended(using := failed.stored(refused["using"])):
            share = self.plan.share_of(self.plan.active_tasks)
            if self.before is None and count_in(using, "active") >= share:
                raise TooManyTasks(self.plan.active_tasks, share=share) from failed
            if not choice.may_run:
                raise failed
            # It runs its share, or others of its tasks are waiting: no other counter changes that.
            choice = choice._replace(may_run=False)
        if KIND in refused:
            choice = choice._replace(read=read_counters(self.table, tenant_of(self.owner_key)))
        return choice

    def _mended(self, using: Item) -> bool:
        return mended_use(self.table, self.owner_key, using) != using

    def _passing(self, choice: Choice, busy: Busy, counts: Sequence[Item]) -> Choice:
        """Return the choice without counters that are always busy; raises `busy` if the write cannot do without."""
        counters = {at: counter_of(action) for at, action in enumerate(counts, start=1) if kind_of(action) == KIND}
        passed = {counters[at] for at in busy.places & counters.keys()}
        if self.before is not None or not passed or len(passed) < len(busy.places):
            raise busy
        return choice._replace(passed=choice.passed | passed, conflict=busy)


def place(
    owner_key: str,
    before: Task | None,
    after: Task,
    plan: Plan,
    *,
    table: Table,
    write: Callable[[Task, Sequence[Item]], Task],
) -> Task:
    """Write a new task, or the next version of one, as `Placing` does."""

    def write_placed(placed: Task | None, counts: Sequence[Item]) -> Task:
        assert placed is not None
        return write(placed, counts)

    placing = Placing(table=table, owner_key=owner_key, task_id=after.id, before=before, after=after, plan=plan)
    return placing.write(write_placed)


def _placed(task: Task, choice: Choice, active_at: int | None) -> Task:
    """Return the task as it is stored: one that is to be queued is started if it may be."""
    if task.state is not State.QUEUED or task.holding.queue is not None:
        return task
    slot = choice.with_slot() if task.lacks_slot else None
    if task.lacks_slot and slot is None:
        return replace(task, holding=replace(task.holding, queue=choice.to_wait_at(active_at)))
    return advance(task, Started(slot=slot), now=task.updated_at)
