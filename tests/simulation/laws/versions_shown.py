"""What must hold of what clients are shown of a task: a version that was stored, and the outcome that is."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import InputRequest, Outcome, OutcomeKind, Returned, State, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.units import timestamp
from tests.simulation.laws.people import Asked
from tests.simulation.reckoning import deadline

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


LONGEST_POLL: Final = timedelta(hours=1)
"""No client is told to wait for longer before it asks again."""

HAS: Final = {"input_required": {"inputRequests"}, "completed": {"result"}, "failed": {"error"}}
"""What 2026-07-28 shows of a task beside, by its status."""

WAITS: Final = "Waiting for its turn"
"""How it begins what is said of a task that waits for a slot."""

UNDER_WAY: Final = "The work is under way."
"""What is said of a task that works, and has reported nothing."""

BESIDE: Final = ("resultType", "_meta")
"""What each revision says of a result, beside what its tool returned."""


def check_version(world: "World", caller: Caller, revision: str, shown: Mapping[str, Any]) -> None:
    """Demand that a caller is shown a task as one of its versions was."""
    name, versions = world.trace.name(shown["taskId"]), world.store.versions[shown["taskId"]]
    at_once = [each for each in versions if timestamp(each.updated_at) == shown["lastUpdatedAt"]]
    seen = {name: value for name, value in shown.items() if name not in ("taskId", "result", "error")}
    right = any(_is_shown(each, caller, revision, shown) for each in at_once)
    world.demand(right, f"{name} is shown as none of its versions was: {seen}")
    poll = timedelta(milliseconds=shown["pollInterval"] if "pollInterval" in shown else shown["pollIntervalMs"])
    world.demand(versions[0].poll_interval <= poll <= LONGEST_POLL, f"{name} is to be polled after {poll}")


def check_detailed(world: "World", shown: Mapping[str, Any]) -> None:
    """Demand that a task is shown with what it asks, its result or its error, whichever it has."""
    given = shown.keys() & {"inputRequests", "result", "error"}
    right = given == HAS.get(shown["status"], set())
    world.demand(right, f"{world.trace.name(shown['taskId'])} is {shown['status']}, and shown with {sorted(given)}")


def check_asks(world: "World", caller: Caller, task_ids: Collection[str], asks: Mapping[str, Any]) -> None:
    """Demand that a plain call is asked what a version of its task asks, if it has one."""
    versions = [version for task_id in task_ids for version in world.store.versions[task_id]]
    right = any(asks == {each.key: _rendered(each) for each in asked_of(version, caller)} for version in versions)
    world.demand(right or not versions, f"a call is asked what no version of its task asks: {asks}")


def check_outcome(world: "World", task_id: str, shown: Mapping[str, Any]) -> None:
    """Demand that the result or the error that a client is given is the one that is stored, if it still is."""
    for owner_key in [owner for owner, task in world.store.tasks() if task.id == task_id]:
        same = _is_outcome(shown, world.store.stored_outcome(owner_key, task_id))
        world.demand(same, f"{world.trace.name(task_id)} is given another outcome than is stored")


def check_plain(world: "World", task_ids: Collection[str], answer: Mapping[str, Any]) -> None:
    """Demand that a plain call is answered with the result or the error of its task, if that has ended and is stored.

    What was cancelled may have an outcome of a run that came too late.
    """
    result = answer.get("result", {})
    if "task_id" in result.get("structuredContent", {}):
        return
    ended = [(owner_key, task) for owner_key, task in world.store.tasks() if task.id in task_ids and is_final(task)]
    same = [
        result.get("isError", False)
        if task.state is State.CANCELLED
        else _is_outcome(answer, world.store.stored_outcome(owner_key, task.id))
        for owner_key, task in ended
    ]
    world.demand(any(same) or not ended, f"a call is given another outcome than its task's: {answer}")


def _is_outcome(shown: Mapping[str, Any], stored: Outcome | None) -> bool:
    """Return whether the result or the error that is shown is the one that is stored."""
    if isinstance(stored, Returned):
        result = {name: value for name, value in shown.get("result", {}).items() if name not in BESIDE}
        return result == {**stored.result, "isError": stored.is_error}
    return stored is not None and shown.get("error", {}).get("message") == stored.message


def _is_shown(version: Task, caller: Caller, revision: str, shown: Mapping[str, Any]) -> bool:
    """Return whether a version may be shown so."""
    ttl = shown["ttl"] if "ttl" in shown else shown["ttlMs"]
    known = (word(version, caller, revision), timestamp(version.created_at), version.ttl // timedelta(milliseconds=1))
    asks = {each.key: _rendered(each) for each in asked_of(version, caller)}
    right = _says(version, shown.get("statusMessage")) and shown.get("inputRequests", asks) == asks
    return right and (shown["status"], shown["createdAt"], ttl) == known


def _says(version: Task, said: str | None) -> bool:
    """Return whether a version may say so: of one that waits, it is said that it does, and perhaps for whom."""
    if version.state is State.QUEUED:
        return str(said).startswith(WAITS)
    others = [each.approval.waits_for for each in version.input_requests if each.approval is not None]
    if version.state is State.INPUT_REQUIRED and said in others:
        return True
    return said == (version.status_message or (UNDER_WAY if version.state is State.WORKING else None))


def word(version: Task, caller: Caller, revision: str) -> str:
    """Return as what a version is shown: one that waits for others works, as far as its own client can tell."""
    if version.state is State.FINISHED:
        return ENDED[revision][version.outcome_kind]
    if version.state is State.INPUT_REQUIRED and not [*asked_of(version, caller)]:
        return "working"
    return WORDS[version.state]


def asked_of(version: Task, caller: Caller) -> Iterator[InputRequest]:
    """Yield what a version asks its own caller, who may be one of those that it asks: alone, and not only later."""
    for each in version.input_requests:
        if each.approval is None:
            yield each
        elif version.requested_at is not None:
            asker = replace(caller, actor=version.actor)
            asked = Asked(asker, version.id, each.key, version.requested_at, deadline(version, each))
            if asked.question.quorum == 1 and asked.may_decide(caller, asked.question.audience):
                yield each


def _rendered(each: InputRequest) -> dict[str, Any]:
    """Return an input request as 2026-07-28 has it, where nothing but its key identifies it."""
    params = {name: value for name, value in each.params.items() if name != "elicitationId"}
    return {"method": each.method, "params": params}
