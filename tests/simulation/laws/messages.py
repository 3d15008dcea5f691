"""What must hold of what a stream of 2025-11-25 carries: a request says what its task asks, and progress what it is."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.tasks.model import InputRequest, Progress
from mcp_tasks.wire.rev_2025_11_25.deliveries import digest
from tests.simulation.laws.carried import asked

if TYPE_CHECKING:
    from tests.simulation.laws.streams import OpenStream
    from tests.simulation.world import World

RELATED_TASK: Final = "io.modelcontextprotocol/related-task"

A_BIT: Final = 1e-6
"""Progress that is repeated rises by less."""

REJECTED: Final = "\n\nThe last answer did not fit: "
"""How what is said begins to who has answered badly."""


def check_message(world: "World", stream: "OpenStream", message: Mapping[str, Any], badly: Mapping[str, int]) -> None:
    """Demand that a stream carries what is stored, and says of which task it is; `badly` is what was answered so."""
    match message:
        case {"method": "notifications/progress", "params": params}:
            _check_progress(world, stream, params)
            _check_related(world, params, None if stream.patience is not None else stream.about())
        case {"method": str(method), "id": str(request_id), "params": params}:
            task_id, _, key = asked(request_id).partition(":")
            requests = [each for version in world.store.versions[task_id] for each in version.input_requests]
            found = [each for each in requests if digest(each.key) == key and each.method == method]
            may_be_bad = badly.get(asked(request_id), 0) > 0
            right = any(_says(params, each, may_be_bad=may_be_bad) for each in found)
            name = world.trace.name(task_id)
            world.demand(right, f"a request of {name} says what that does not ask: {method} {dict(params)}")
            # The client of a plain call knows of no task.
            _check_related(world, params, None if stream.patience is not None else task_id)
        case {"result": {"content": _}} if stream.task is not None:
            _check_related(world, message["result"], stream.task)


def _check_related(world: "World", of: Mapping[str, Any], task_id: str | None) -> None:
    """Demand that a result, or the params of a request, is said to be of a task, or of none.

    -- 2025-11-25, Tasks, Associating Task-Related Messages
    """
    related = of.get("_meta", {}).get(RELATED_TASK, {}).get("taskId")
    name = "no task" if task_id is None else world.trace.name(task_id)
    world.demand(related == task_id, f"what is of {name} is said to be of {related}")


def _says(params: Mapping[str, Any], request: InputRequest, *, may_be_bad: bool) -> bool:
    given = {name: value for name, value in params.items() if name not in ("_meta", "elicitationId")}
    asks = {name: value for name, value in request.params.items() if name != "elicitationId"}
    if may_be_bad and REJECTED in given.get("message", ""):
        given["message"] = given["message"].partition(REJECTED)[0]
    return given == asks


def _check_progress(world: "World", stream: "OpenStream", params: Mapping[str, Any]) -> None:
    """Demand that progress says what was reported with it, unless it is one before that is repeated as a bit more."""
    progress, reported = params["progress"], [each.progress for each in world.store.versions[stream.about()]]
    before = [each for each in reported if each is not None and each.progress <= progress] or [Progress(progress=0)]
    reached = max(each.progress for each in before)
    last = [(each.total, each.message) for each in before if each.progress == reached]
    # Of more than there is to do, no total is said.
    known = last if progress == reached else [*last, *((None, message) for _, message in last)]
    right = progress - reached < A_BIT and (params.get("total"), params.get("message")) in known
    world.demand(right, f"progress of {world.trace.name(stream.about())} says {dict(params)}")
