"""What must hold of what the server has said: an answer that it acknowledged is kept, and a task as long as it granted.

Who listens for a task that has ended is told so.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_tasks.tasks.model import Task
from mcp_tasks.wire.rev_2025_11_25.deliveries import digest
from tests.simulation.laws.carried import asked, asking
from tests.simulation.reckoning import expires_at

if TYPE_CHECKING:
    from tests.simulation.world import World


def check_kept(world: "World", owner_key: str, task_id: str, keys: Iterable[str]) -> None:
    """Demand that a task does not ask any longer for what a client was told that it has answered.

    What others have to accept as well is asked until they have.
    """
    tasks = [task for owner, task in world.store.tasks() if owner == owner_key and task.id == task_id]
    live = [task for task in tasks if world.store.lives(task)]
    for key in {key for _, key in asking(live)}.intersection(keys):
        kept = world.store.response(owner_key, task_id, key) is not None
        world.demand(kept, f"{world.trace.name(task_id)}: the answer to {key} is acknowledged, and not kept")


def check_accepted(world: "World", owner_key: str, request_id: str) -> None:
    """Demand the same of what a client of 2025-11-25 answered by a response to a request, by its id."""
    task_id, _, key = asked(request_id).partition(":")
    requested = {each for version in world.store.versions[task_id] for each in version.requested}
    check_kept(world, owner_key, task_id, [each for each in requested if digest(each) == key])


def check_told(world: "World", ended: Iterable[Task], told: Collection[str]) -> None:
    """Demand that who listens for tasks is told of each that had ended, and is kept by all clocks."""
    now = world.clock.now() + world.skew
    for task in ended:
        missed = task.id not in told and expires_at(task) > now
        world.demand(not missed, f"who listens for {world.trace.name(task.id)} is not told that it has ended")


def check_created(world: "World", task: Mapping[str, Any], token: str | None, wanted: Mapping[str, int]) -> None:
    """Demand that a new task has its call's progress token, and is kept for its `ttl` in milliseconds, or longer.

    Without a token, it may be the task of an earlier call.
    """
    name, stored = world.trace.name(task["taskId"]), world.store.versions[task["taskId"]]
    if token is not None:
        world.demand(task["ttl"] >= wanted.get("ttl", 0), f"{name} is kept too short a time")
        named = all(each.progress_token == token for each in stored)
        world.demand(named, f"{name} has the progress token of another call")
