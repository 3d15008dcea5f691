"""What must hold of what clients are shown of a task: a version that was stored, and the outcome that is."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.tasks.model import OutcomeKind, Returned, State, Task
from mcp_tasks.wire.units import timestamp

if TYPE_CHECKING:
    from tests.simulation.world import World

WORDS: Final[Mapping[State, str]] = {
    State.QUEUED: "working",
    State.WORKING: "working",
    State.INPUT_REQUIRED: "input_required",
    State.CANCELLED: "cancelled",
}

ENDED: Final[Mapping[str, Mapping[OutcomeKind | None, str]]] = {
    "2025-11-25": {
        OutcomeKind.RETURNED: "completed",
        OutcomeKind.RETURNED_ERROR: "failed",
        OutcomeKind.FAILED: "failed",
    },
    "2026-07-28": {
        OutcomeKind.RETURNED: "completed",
        OutcomeKind.RETURNED_ERROR: "completed",
        OutcomeKind.FAILED: "failed",
    },
}
"""What each revision calls a task that has finished.

"this includes cases where the tool call result has `isError` set to true."  -- 2025-11-25, Tasks, `failed`
"`failed` ... MUST NOT be used for anything but a JSON-RPC error"  -- ext-tasks 2026-07-28, Task Status
"""


def check_version(world: "World", revision: str, shown: Mapping[str, Any]) -> None:
    """Demand that a task is shown as one of its versions was."""
    name, versions = world.trace.name(shown["taskId"]), world.store.versions[shown["taskId"]]
    ttl = shown["ttl"] if "ttl" in shown else shown["ttlMs"]
    at_once = [each for each in versions if timestamp(each.updated_at) == shown["lastUpdatedAt"]]
    right = any(shown["status"] in _words(each, revision) and ttl == _kept_for(each) for each in at_once)
    said = f"{shown['status']} since {shown['lastUpdatedAt']}, kept for {ttl}"
    world.demand(right, f"{name} is shown as none of its versions was: {said}")


def check_outcome(world: "World", task_id: str, shown: Mapping[str, Any]) -> None:
    """Demand that the result or the error that a client is given is the one that is stored, if it still is."""
    for owner_key in [owner for owner, task in world.store.tasks() if task.id == task_id]:
        stored, result = world.store.stored_outcome(owner_key, task_id), shown.get("result", {})
        if isinstance(stored, Returned):
            given = (result.get("content"), result.get("isError", False))
            same = given == (stored.result["content"], stored.is_error)
        else:
            same = stored is not None and shown.get("error", {}).get("message") == stored.message
        world.demand(same, f"{world.trace.name(task_id)} is given another outcome than is stored")


def _words(version: Task, revision: str) -> tuple[str, ...]:
    """Return as what a version may be shown: one that waits for others works, as far as its own client can tell."""
    if version.state is State.FINISHED:
        return (ENDED[revision][version.outcome_kind],)
    asked = version.open_input_requests
    return (WORDS[version.state], *(("working",) if asked and all(each.approval for each in asked) else ()))


def _kept_for(version: Task) -> int:
    """Return for how many milliseconds a version's task is kept."""
    return version.ttl // timedelta(milliseconds=1)
