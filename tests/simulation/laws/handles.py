"""What must hold of calls that are answered with the handle of a task: they wait as long as is promised, and no longer.

"A call waits for up to the tool's `inline_wait` (3 seconds), and then returns a task handle"; "The server answers with
a task if the call takes longer than `handle_after` (0.5 seconds)".  What a user takes to answer does not count: a call
on a stream waits as long again after that.  -- docs/calling.md
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcp_tasks.limits.waits import HANDLE_AFTER, INLINE_WAIT
from mcp_tasks.security.tenancy import tenant_of

if TYPE_CHECKING:
    from tests.simulation.laws.streams import OpenStream
    from tests.simulation.world import World

WAITED_FOR: Final = ("report", "publish", "reserve", "consult")
"""The tools whose calls wait before they are answered with a handle."""

ROUNDED: Final = timedelta(milliseconds=1)


class Patience(NamedTuple):
    """When a call was made, and how many connections had been refused by then that were to be held.

    Who declares tasks and asks for none has chosen to wait `for_ever`.
    """

    at: datetime
    refused: int
    for_ever: bool


def called(world: "World", *, for_ever: bool = False) -> Patience:
    """Return where a call begins."""
    return Patience(world.clock.now(), len(world.held_waits.refused), for_ever)


def check_in_time(world: "World", paused: timedelta, result: Mapping[str, Any]) -> None:
    """Demand that a call of 2026-07-28 waited no longer than it may, by how long its process `paused`."""
    longest = HANDLE_AFTER if result.get("resultType") == "task" else INLINE_WAIT
    world.demand(paused <= longest, f"a call waited for {paused}, and may wait for {longest}")


def check_handle(
    world: "World", owner_key: str, patience: Patience, result: Mapping[str, Any], *, known: int = 0
) -> None:
    """Demand that a call without a task waited before it was answered with a handle, if it was.

    It waits since it was made, or on a stream since its task went on that had waited for input, as far as that was
    `known` at the moment when it was decided to wait no more.  Where its tenant holds as many connections as it may, it
    does not wait.
    """
    task_id = result.get("structuredContent", {}).get("task_id")
    if task_id is not None:
        world.demand(not patience.for_ever, f"a call that waits is answered with {world.trace.name(task_id)}")
        went_on = [at for moment, at in world.store.went_on[task_id] if moment < known]
        _check_wait(world, owner_key, patience, task_id, max([patience.at, *went_on]) + INLINE_WAIT)


def check_answered(world: "World", stream: "OpenStream") -> None:
    """Demand that a call whose stream goes on when it is resumed has not waited yet as long as is promised.

    It may wait for longer while it asks its user something.
    """
    patience, task, resumed = stream.patience, world.store.find(stream.about()), stream.serving[-1].at
    if patience is None or patience.for_ever or task is None or task.input_requests:
        return
    until = max(filter(None, (patience.at, task.resumed_at))) + INLINE_WAIT
    # What has just ended, or gone on, may have asked something when it was looked at.
    late = resumed > max(until, task.updated_at) + world.skew + ROUNDED
    world.demand(not late, f"a call for {world.trace.name(task.id)} is to be answered by {until.time()}, and is not")


def check_task(world: "World", owner_key: str, patience: Patience, tool: str, task: Mapping[str, Any]) -> None:
    """Demand that a call waited a moment before it was answered with a task, unless that needs input or has ended."""
    if tool in WAITED_FOR and task["status"] == "working":
        _check_wait(world, owner_key, patience, task["taskId"], patience.at + HANDLE_AFTER)


def _check_wait(world: "World", owner_key: str, patience: Patience, task_id: str, until: datetime) -> None:
    refused = tenant_of(owner_key) in world.held_waits.refused[patience.refused :]
    early = world.clock.now() < until - world.skew - ROUNDED
    name = world.trace.name(task_id)
    world.demand(refused or not early, f"a call is answered with {name}, and should wait until {until.time()}")
