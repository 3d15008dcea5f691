"""What must hold of answers to input requests: of one that was acknowledged, it or another one before it is kept."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

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
