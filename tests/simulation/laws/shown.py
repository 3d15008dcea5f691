"""What clients were shown, and that it is consistent over time.

Answers may overtake each other, so that each is held against what was stored when its request was sent: the `floor`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.units import timestamp
from tests.simulation.laws.versions_shown import check_outcome, check_version
from tests.simulation.reckoning import expires_at

if TYPE_CHECKING:
    from tests.simulation.world import World

FINAL = ("completed", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest that was shown of a task; `status` is that of a final one, by revision."""

    updated_at: str
    status: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Ledger:
    """What clients know of tasks, all of them together."""

    world: "World"
    accepted: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    """The owner of each task whose id a client received, and until when the task is kept."""
    seen: dict[str, Seen] = field(default_factory=dict)
    outcomes: dict[str, Any] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
    """The task of each idempotency key of an owner."""
    unwanted: set[str] = field(default_factory=set)
    """The tasks that their clients cancelled."""

    def floor(self, owner_key: str) -> dict[str, Seen]:
        """Return what is stored of an owner's tasks, and known: what is asked for from now on may not be older."""
        stored = {task.id: timestamp(task.updated_at) for owner, task in self.world.store.tasks() if owner == owner_key}
        known = {task_id: seen for task_id, seen in self.seen.items() if self.accepted[task_id][0] == owner_key}
        return known | {each: replace(known.get(each, Seen("")), updated_at=stored[each]) for each in stored}

    def accept(self, owner_key: str, task_id: str) -> None:
        """Record that a client received its task's id."""
        found = {task.id: (owner, expires_at(task)) for owner, task in self.world.store.tasks()}
        if task_id not in self.accepted:
            gone = self.world.trace.name(task_id)
            self.world.demand(found.get(task_id, ("",))[0] == owner_key, f"{gone} was accepted and is not stored")
            if task_id in found:
                self.accepted[task_id] = found[task_id]

    def keep(self, owner_key: str, key: str, task_id: str) -> None:
        """Record which task a call with an idempotency key was answered with."""
        known = self.keys.get((owner_key, key), task_id)
        self.world.demand(known == task_id or not self.lives(known), f"{key} is two tasks")
        self.keys[owner_key, key] = task_id

    def show(self, floor: Mapping[str, Seen], caller: Caller, revision: str, task: Mapping[str, Any]) -> None:
        """Record what a client was shown of a task, and hold it against what it knew before."""
        task_id, status, updated_at = task["taskId"], task["status"], task["lastUpdatedAt"]
        name, demand = self.world.trace.name(task_id), self.world.demand
        check_version(self.world, caller, revision, task)
        before = floor.get(task_id)
        if before is not None:
            demand(updated_at >= before.updated_at, f"{name}: lastUpdatedAt went back")
            if before.status:
                demand(before.status.get(revision, status) == status, f"{name} was final, and is {status}")
                cancelled = "cancelled" in before.status.values()
                demand((status == "cancelled") == cancelled and status in FINAL, f"{name} was ended otherwise")
                demand(updated_at == before.updated_at, f"{name} was final, and changed")
        known = self.seen.get(task_id, Seen(updated_at))
        ends = {revision: status} if status in FINAL else {}
        self.seen[task_id] = Seen(max(known.updated_at, updated_at), {**known.status, **ends})

    def end(self, task_id: str, ended: Mapping[str, Any]) -> None:
        """Record the result or the error that a client was given: it is the same for everybody and for ever."""
        check_outcome(self.world, task_id, ended)
        result = ended.get("result")
        outcome = [result["content"], result.get("isError", False)] if result else ended["error"]["message"]
        known = self.outcomes.setdefault(task_id, outcome)
        self.world.demand(known == outcome, f"{self.world.trace.name(task_id)} has two outcomes")

    def check_listed(self, listed: Sequence[str], before: Iterable[str]) -> None:
        """Demand that each task is listed once that was there `before` and still is, and the newest first."""
        self.world.demand(len(set(listed)) == len(listed), "a task is listed twice")
        self.world.demand([*listed] == sorted(listed, reverse=True), "tasks are listed in another order")
        missing = [task_id for task_id in before if self.lives(task_id) and task_id not in listed]
        self.world.demand(not missing, f"not listed: {', '.join(map(self.world.trace.name, missing))}")

    def lives(self, task_id: str) -> bool:
        """Return whether an accepted task must still be there."""
        return task_id in self.accepted and self.accepted[task_id][1] > self.world.clock.now()

    def tasks_of(self, owner_key: str, *, others: bool = False) -> list[str]:
        """Return the tasks whose ids an owner received, or those that others received."""
        return [task_id for task_id, (owner, _) in self.accepted.items() if (owner == owner_key) is not others]
