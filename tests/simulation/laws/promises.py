"""What must hold of what the server has said: an answer that it acknowledged is kept, and a task as long as it granted.

Who listens for a task that has ended is told so.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_tasks.tasks.model import Task
from tests.simulation.reckoning import expires_at

if TYPE_CHECKING:
    from tests.simulation.world import World


def check_kept(world: "World", owner_key: str, task_id: str, keys: Iterable[str]) -> None:
    """Demand that a task does not ask any longer for what a client was told that it has answered.

    What others have to accept as well is asked until they have.
    """
    tasks = [task for owner, task in world.store.tasks() if owner == owner_key and task.id == task_id]
    asked = {
        each.key for task in tasks if world.store.lives(task) for each in task.open_input_requests if not each.approval
    }
    for key in asked.intersection(keys):
        kept = world.store.response(owner_key, task_id, key) is not None
        world.demand(kept, f"{world.trace.name(task_id)}: the answer to {key} is acknowledged, and not kept")


def check_told(world: "World", ended: Iterable[Task], told: Collection[str]) -> None:
    """Demand that who listens for tasks is told of each that had ended, and is kept by all clocks."""
    now = world.clock.now() + world.skew
    for task in ended:
        missed = task.id not in told and expires_at(task) > now
        world.demand(not missed, f"who listens for {world.trace.name(task.id)} is not told that it has ended")


def check_ttl(world: "World", task: Mapping[str, Any], asked: Mapping[str, int]) -> None:
    """Demand that a new task is kept for as long as its client asked for, by a `ttl` in milliseconds, or longer."""
    short = task["ttl"] < asked.get("ttl", 0)
    world.demand(not short, f"{world.trace.name(task['taskId'])} is kept too short a time")
