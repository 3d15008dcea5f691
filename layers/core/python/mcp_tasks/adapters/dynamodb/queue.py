"""The queue of a tenant's tasks on DynamoDB: one `queue` item for each that waits for a slot.

Subjects take turns: each counter of slots remembers the subject it served last, and goes on with the next one in the
order of their names.  Within a subject, tasks that were begun come before new ones, and older before younger.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from mcp_tasks.adapters.dynamodb.actions import replacing
from mcp_tasks.adapters.dynamodb.counters import mended_use, read_counters, share_at
from mcp_tasks.adapters.dynamodb.counting import counting, queue_key
from mcp_tasks.adapters.dynamodb.items import Item, count_in, primary_key, task_of
from mcp_tasks.adapters.dynamodb.table import Busy, ConditionFailed, Table
from mcp_tasks.limits.waits import MAX_PLACE, MAX_SUBJECTS_ASKED, MAX_TURNS_LOST
from mcp_tasks.records import record
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.transitions import advance, rightful

logger = logging.getLogger(__name__)

AFTER: Final = "~"
"""Follows every character of a task's id."""

PLACES_END: Final = "queue$"
"""Follows the sort key of every place."""


@record
class DynamoQueue:
    """The `Queue` on one table; without a task that waits, it reads one item."""

    table: Table

    def start_next(self, tenant: str, plan: Plan) -> tuple[str, Task] | None:
        """Delete the place of the task whose turn it is and count its slot, in the transaction that starts it."""
        for _ in range(MAX_TURNS_LOST):
            if next(self._places(tenant, ""), None) is None:
                return None
            free = self._free_counter(tenant, plan)
            place = None if free is None else self._turn(tenant, plan, free[1])
            if free is None or place is None:
                return None
            started = self._start(tenant, place, free[0], plan)
            if started is not None:
                return started
        logger.warning("others took every turn", extra={"tenant": tenant, "fallback": "turns_lost"})
        return None

    def tasks_before(self, owner_key: str, task: Task) -> int:
        """Count the places before the task's, by a query of its subject's."""
        tenant, _, subject = owner_key.partition("#")
        own = queue_key(owner_key, task)["SK"]["S"]
        before = self._query(tenant, f"queue#{subject}#", own, limit=MAX_PLACE + 1)
        return sum(sort_key < own for sort_key in islice(before, MAX_PLACE + 1))

    def settle(self, owner_key: str, task: Task) -> None:
        """Give back what a task holds beyond what it may, unless it has changed meanwhile."""
        settled = replace(task, holding=rightful(task))
        counts = counting(owner_key, task, settled, NO_PLAN, now=self.table.clock.now())
        if not counts:
            return
        try:
            self.table.transact(replacing(owner_key, task, settled), *counts)
        except ConditionFailed:
            return

    def _start(self, tenant: str, sort_key: str, counter: int, plan: Plan) -> tuple[str, Task] | None:
        """Return the task that was started, or None where the place was not that of a queued task, or was taken."""
        _, subject, name = sort_key.split("#")
        owner_key = f"{tenant}#{subject}"
        item = self.table.get(primary_key(owner_key, "task", name[1:]))
        before = None if item is None else task_of(item)
        if before is None or before.state is not State.QUEUED:
            self._discard(owner_key, before, primary_key(tenant, *sort_key.split("#")))
            return None
        now = self.table.clock.now()
        after = replace(advance(before, Started(slot=counter), now=now), version=before.version + 1)
        counts = counting(owner_key, before, after, plan, now=now, served=subject)
        try:
            self.table.transact(replacing(owner_key, before, after), *counts)
        except (ConditionFailed, Busy):
            return None
        return owner_key, after

    def _discard(self, owner_key: str, task: Task | None, place: Item) -> None:
        """Delete a place that release 0.3 left behind when it went on with the task."""
        if task is None or task.holding.queue is None:
            self.table.delete(Key=place)
        else:
            self.settle(owner_key, task)

    def _free_counter(self, tenant: str, plan: Plan) -> tuple[int, str] | None:
        """Return a counter with a free slot, and the subject that it served last."""
        for counter, item in read_counters(self.table, tenant).items():
            if count_in(item, "running") < share_at(counter, plan.running_tasks):
                return counter, item.get("served", {}).get("S", "")
        return None

    def _turn(self, tenant: str, plan: Plan, served: str) -> str | None:
        """Return the first place of the next subject that runs less than its share."""
        position, wrapped = f"{served}#{AFTER}" if served else "", not served
        for _ in range(MAX_SUBJECTS_ASKED):
            place = next(self._places(tenant, position), None)
            if place is None:
                if wrapped:
                    return None
                position, wrapped = "", True
                continue
            subject = place.split("#")[1]
            owner_key = f"{tenant}#{subject}"
            using = mended_use(self.table, owner_key, self.table.get(primary_key(owner_key, "using")) or {})
            if count_in(using, "running") < plan.share_of(plan.running_tasks):
                return place
            position = f"{subject}#{AFTER}"
        return None

    def _places(self, tenant: str, after: str) -> Iterator[str]:
        return self._query(tenant, f"queue#{after}", PLACES_END, limit=1)

    def _query(self, tenant: str, first: str, last: str, *, limit: int) -> Iterator[str]:
        return self.table.between(lambda item: str(item["SK"]["S"]), tenant, first, last, limit=limit)
