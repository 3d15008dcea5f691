"""What the tasks of a tenant hold of its plan, counted in the transactions that change the tasks; pure, no I/O.

    item       in the partition of   counts
    slots#n    the tenant            `running`, `queued` and `suspended` tasks, a share: a busy tenant has no hot item
    using      the subject           its `active`, `running`, `queued` and `suspended` tasks
    queue#...  the tenant            nothing: it is the place of one queued task

Every number is the sum of `Task.holding`, so it is changed by the difference between a task before and after a write.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from zlib import crc32

from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.quota import COUNTERS
from mcp_tasks.limits.waits import COUNTER_LIFETIME
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.model import Holding, State, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import advance

NOTHING: Final = Holding()


def placements(task: Task, plan: Plan) -> Iterator[Task]:
    """Yield what a task may be stored as, best first: started at one counter or another, or queued at its own."""
    if task.state is not State.QUEUED or task.holding.queue is not None:
        yield task
    elif not task.lacks_slot:
        yield advance(task, Started(slot=None), now=task.updated_at)
    else:
        home = home_of(task)
        for counter in (*range(home, COUNTERS), *range(home)):
            if slots_at(counter, plan):
                yield advance(task, Started(slot=counter), now=task.updated_at)
        yield replace(task, holding=replace(task.holding, queue=home))


def home_of(task: Task) -> int:
    """Return the counter that a task is counted at, unless that has no slot for it."""
    return crc32(task.id.encode()) % COUNTERS


def slots_at(counter: int, plan: Plan) -> int:
    """Return how many tasks may run at a counter; all counters together have exactly the plan's."""
    return plan.running_tasks // COUNTERS + (counter < plan.running_tasks % COUNTERS)


def counting(
    owner_key: str, before: Task | None, after: Task | None, plan: Plan, *, now: datetime, served: str | None = None
) -> list[Item]:
    """Return the actions by which a transaction that replaces `before` by `after` counts what the task holds.

    Their conditions are those of the plan, and of the queue: nobody but the task whose turn it is gets a slot while one
    waits.  `served` is the subject whose turn it was, which the counter of the slot remembers.
    """
    had, has = (task.holding if task else NOTHING for task in (before, after))
    if had == has:
        return []
    actions: list[Item] = []
    suspended = has.suspended - had.suspended
    home = {home_of(task) for task in (before, after) if task and suspended}
    for counter in sorted({had.slot, had.queue, has.slot, has.queue, *home} - {None}, key=str):
        changes = {
            "suspended": suspended if counter in home else 0,
            "running": (has.slot == counter) - (had.slot == counter),
            "queued": (has.queue == counter) - (had.queue == counter),
        }
        assert counter is not None
        update = _Update(changes, newcomer=had.queue is None, now=now)
        update.limit("running", slots_at(counter, plan))
        if served is not None and changes["running"] > 0:
            update.set("served", served)
        actions += update.of(primary_key(tenant_of(owner_key), "slots", counter))
    changes = {
        "active": has.active - had.active,
        "running": (has.slot is not None) - (had.slot is not None),
        "queued": (has.queue is not None) - (had.queue is not None),
        "suspended": suspended,
    }
    update = _Update(changes, newcomer=had.queue is None, now=now)
    update.limit("active", plan.share_of(plan.active_tasks))
    update.limit("running", plan.share_of(plan.running_tasks))
    actions += update.of(primary_key(owner_key, "using"))
    return actions + _queueing(owner_key, before, after)


def queue_key(owner_key: str, task: Task) -> Item:
    """Return the key of a task's place: tasks of a subject are together, those that were begun first, then by age."""
    tenant, _, subject = owner_key.partition("#")
    return primary_key(tenant, "queue", subject, f"{0 if task.was_begun else 1}{task.id}")


def kind_of(action: Item) -> str:
    """Return the kind of the item that an action writes."""
    ((_, request),) = action.items()
    kind: str = request.get("Key", request.get("Item"))["SK"]["S"].partition("#")[0]
    return kind


def _queueing(owner_key: str, before: Task | None, after: Task | None) -> list[Item]:
    was_queued, is_queued = (task is not None and task.holding.queue is not None for task in (before, after))
    if is_queued and after is not None and not was_queued:
        return [{"Put": {"Item": queue_key(owner_key, after) | expiry_attributes(after.expires_at)}}]
    if was_queued and before is not None and not is_queued:
        return [{"Delete": {"Key": queue_key(owner_key, before)}}]
    return []


class _Update:
    """The Update of one counter, or none if it changes nothing."""

    def __init__(self, changes: dict[str, int], *, newcomer: bool, now: datetime) -> None:
        until = expiry_attributes(now + COUNTER_LIFETIME)
        self._changes = {name: change for name, change in changes.items() if change}
        self._sets = {"expiresAt": until["expiresAt"], "goneAt": until["goneAt"]}
        self._conditions: list[str] = []
        self._values = {f":{name}": {"N": str(change)} for name, change in self._changes.items()}
        if newcomer and changes["running"] > 0:
            self._at_most("queued", 0)

    def limit(self, name: str, limit: int) -> None:
        """Have the update fail where it would count up beyond a limit."""
        if self._changes.get(name, 0) > 0:
            self._at_most(name, limit - 1)

    def set(self, name: str, value: str) -> None:
        """Set an attribute besides."""
        self._sets[name] = {"S": value}

    def of(self, key: Item) -> Sequence[Item]:
        """Return the update of the item with this key."""
        if not self._changes:
            return ()
        added = ", ".join(f"{name} :{name}" for name in self._changes)
        settings = ", ".join(f"{name} = :{name}" for name in self._sets)
        update = {
            "Key": key,
            "UpdateExpression": f"ADD {added} SET {settings}",
            "ExpressionAttributeValues": self._values | {f":{name}": value for name, value in self._sets.items()},
        }
        return [{"Update": update | self._condition}]

    @property
    def _condition(self) -> Item:
        return {"ConditionExpression": " AND ".join(self._conditions)} if self._conditions else {}

    def _at_most(self, name: str, most: int) -> None:
        bound = f"{name} <= :most_{name}"
        # A limit of none holds where nothing is counted, too.
        self._conditions.append(f"(attribute_not_exists({name}) OR {bound})" if most >= 0 else bound)
        self._values[f":most_{name}"] = {"N": str(most)}
