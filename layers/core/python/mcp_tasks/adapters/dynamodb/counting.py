"""What the tasks of a tenant hold of its plan, counted in the transactions that change the tasks; pure, no I/O.

    item       in the partition of   counts
    quota#n    the tenant            `active`, `running`, `queued` and `suspended` tasks, at one of its counters
    using      the subject           the same of its own tasks
    queue#...  the tenant            nothing: it is the place of one queued task

Every number is the sum of `Task.holding`, so it is changed by the difference between a task before and after a write.
But the tenant's `active` tasks are its live ones, and at which counter one became active is not recorded: only their
sum has a meaning.  It is the number of live tasks, and while that is not zero some counter is not.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from mcp_tasks.adapters.dynamodb.counters import counter_key, from_home, share_at
from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.limits.waits import COUNTER_LIFETIME
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import Holding, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import is_final

NOTHING: Final = Holding()


def change_of_active(before: Task | None, after: Task | None) -> int:
    """Return by how much a write changes the number of its tenant's active tasks; no task after it is a deleted one."""
    if before is None and after is not None:
        return 1
    return -int(after is None or (is_final(after) and (before is None or not is_final(before))))


def counting(
    owner_key: str,
    before: Task | None,
    after: Task | None,
    plan: Plan,
    *,
    now: datetime,
    active_at: int | None = None,
    served: str | None = None,
) -> list[Item]:
    """Return the actions by which a transaction that replaces `before` by `after` counts what the task holds.

    Their conditions are those of the plan, and of the queue: nobody but the task whose turn it is gets a slot while one
    waits.  `active_at` is the counter at which the task becomes active, or ends; `served` is the subject whose turn it
    was, which the counter of the slot remembers.
    """
    had, has = (task.holding if task else NOTHING for task in (before, after))
    suspended, newcomer = has.suspended - had.suspended, had.queue is None
    home = {from_home(task.id)[0] for task in (before, after) if task and suspended}
    actions: list[Item] = []
    for counter in sorted({had.slot, had.queue, has.slot, has.queue, active_at, *home} - {None}, key=str):
        assert counter is not None
        changes = {
            "active": change_of_active(before, after) if counter == active_at else 0,
            "running": (has.slot == counter) - (had.slot == counter),
            "queued": (has.queue == counter) - (had.queue == counter),
            "suspended": suspended if counter in home else 0,
        }
        update = _Update(changes, newcomer=newcomer, now=now)
        update.limit("active", share_at(counter, plan.active_tasks), may_be_negative=True)
        update.limit("running", share_at(counter, plan.running_tasks))
        update.keep_positive("active")
        if served is not None and changes["running"] > 0:
            update.set("served", served)
        actions += update.of(counter_key(tenant_of(owner_key), counter))
    return [*actions, *_counting_of_subject(owner_key, had, has, plan, now=now), *_queueing(owner_key, before, after)]


def queue_key(owner_key: str, task: Task) -> Item:
    """Return the key of a task's place: tasks of a subject are together, those that were begun first, then by age."""
    tenant, _, subject = owner_key.partition("#")
    return primary_key(tenant, "queue", subject, f"{0 if task.was_begun else 1}{task.id}")


def kind_of(action: Item) -> str:
    """Return the kind of the item that an action writes."""
    ((_, request),) = action.items()
    kind: str = request.get("Key", request.get("Item"))["SK"]["S"].partition("#")[0]
    return kind


def counter_of(action: Item) -> int:
    """Return which of its tenant's counters an action changes."""
    return int(action["Update"]["Key"]["SK"]["S"].partition("#")[2])


def _counting_of_subject(owner_key: str, had: Holding, has: Holding, plan: Plan, *, now: datetime) -> Sequence[Item]:
    changes = {
        "active": has.active - had.active,
        "running": (has.slot is not None) - (had.slot is not None),
        "queued": (has.queue is not None) - (had.queue is not None),
        "suspended": has.suspended - had.suspended,
    }
    update = _Update(changes, newcomer=had.queue is None, now=now)
    update.limit("active", plan.share_of(plan.active_tasks))
    update.limit("running", plan.share_of(plan.running_tasks))
    return update.of(primary_key(owner_key, "using"))


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

    def limit(self, name: str, limit: int, *, may_be_negative: bool = False) -> None:
        """Have the update fail where it would count up beyond a limit, or from below zero unless that is legal."""
        if self._changes.get(name, 0) > 0:
            self._at_most(name, limit - 1, least=None if may_be_negative else 0)

    def keep_positive(self, name: str) -> None:
        """Have the update fail where it would count below zero."""
        if self._changes.get(name, 0) < 0:
            self._conditions.append(f"{name} > :none")
            self._values[":none"] = {"N": "0"}

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

    def _at_most(self, name: str, most: int, least: int | None = None) -> None:
        bound = f"{name} <= :most_{name}"
        self._values[f":most_{name}"] = {"N": str(most)}
        if least is not None:
            bound += f" AND {name} >= :least_{name}"
            self._values[f":least_{name}"] = {"N": str(least)}
        # A limit of none holds where nothing is counted, too.
        self._conditions.append(f"(attribute_not_exists({name}) OR ({bound}))" if most >= 0 else bound)
