"""What must hold of what the server has said: an answer that it acknowledged is kept, and a task as long as it granted.

Who listens for a task that has ended or asks something is told so, and a session that a client ends has ended.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.limits.waits import KEPT
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.rev_2025_11_25.deliveries import digest
from tests.simulation.laws.carried import asked, asking
from tests.simulation.laws.versions_shown import LONGEST_POLL, asked_of
from tests.simulation.reckoning import deadline, expires_at, longest_work

if TYPE_CHECKING:
    from tests.simulation.actors.client import Received
    from tests.simulation.world import World

LISTEN_AGAIN: Final = "io.github.mcp-task-server/listenAgainMs"

DEFAULT: Final = 24 * 3_600_000
"""For how many milliseconds a task is kept by default."""


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


def check_told(world: "World", caller: Caller, listened: Iterable[Task], told: Collection[str]) -> None:
    """Demand that who listens for tasks is told of each that had ended, or asked it something, and is as it was."""
    now = world.clock.now() + world.skew
    for task in listened:
        waits = task.state is State.INPUT_REQUIRED
        asks = waits and any(deadline(task, each) > now for each in asked_of(task, caller))
        if is_final(task) or (asks and world.store.find(task.id) == task):
            missed = task.id not in told and expires_at(task) > now
            said = "has ended" if is_final(task) else "asks something"
            world.demand(not missed, f"who listens for {world.trace.name(task.id)} is not told that it {said}")


def check_listens_again(world: "World", result: Mapping[str, Any]) -> None:
    """Demand that who listens is not told to wait for long before it listens again."""
    after = result.get("_meta", {}).get(LISTEN_AGAIN, 1)
    right = 0 < after <= LONGEST_POLL / timedelta(milliseconds=1)
    world.demand(right, f"who listens is to listen again after {after} ms")


def check_ended(world: "World", owner_key: str, session: str, received: "Received") -> None:
    """Demand that nothing is left of a session that a client was told has ended."""
    if received.status < 300 and not received.failed:
        world.demand(not world.has_session(owner_key, session), f"a session of {owner_key} has ended, and goes on")


def check_created(world: "World", task: Mapping[str, Any], token: str | None, wanted: Mapping[str, int]) -> None:
    """Demand that a new task has its call's progress token, and is kept for its `ttl` in milliseconds.

    It is kept longer only where its work would have no time.  Without a token, it may be the task of an earlier call.
    """
    name, stored = world.trace.name(task["taskId"]), world.store.versions[task["taskId"]]
    if token is not None:
        shortest = (longest_work(stored[0]) + KEPT) // timedelta(milliseconds=1)
        right = task["ttl"] == max(wanted.get("ttl", DEFAULT), shortest)
        world.demand(right, f"{name} is kept for {task['ttl']} ms, and was to be for {wanted.get('ttl')}")
        named = all(each.progress_token == token for each in stored)
        world.demand(named, f"{name} has the progress token of another call")
