"""What must hold of the built-in tools for tasks, which stand in for the methods of the protocol.

-- docs/calling.md
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.laws.limits import LIMIT_REACHED_META
from tests.simulation.laws.versions_shown import check_asks, check_plain, word

if TYPE_CHECKING:
    from tests.simulation.world import World

OVER = "The task has ended already"


def is_about_task(result: Mapping[str, Any]) -> bool:
    """Return whether a result is about a task that there is, rather than that none was found, or looked for."""
    refused = LIMIT_REACHED_META in result.get("_meta", {})
    return not refused and "content" in result and "There is no task" not in result["content"][0]["text"]


def check_result(world: "World", caller: Caller, task_id: str, result: Mapping[str, Any], *, had_ended: bool) -> None:
    """Demand that `task_result` gives the outcome of a task that had ended, or says how far it is."""
    name, content = world.trace.name(task_id), result.get("structuredContent", {})
    if content.get("task_id") == task_id:
        world.demand(not had_ended, f"{name} has ended, and its result is not given")
        check_status(world, caller, task_id, content["status"])
    elif asks := result.get("inputRequests"):
        world.demand(not had_ended, f"{name} has ended, and is said to ask {[*asks]}")
        check_asks(world, caller, [task_id], asks)
    elif is_about_task(result):
        task = world.store.find(task_id)
        world.demand(task is None or is_final(task), f"{name} is given a result, and has not ended")
        check_plain(world, [task_id], {"result": result})


def check_cancelled(world: "World", task_id: str, result: Mapping[str, Any]) -> None:
    """Demand that what `task_cancel` says has been cancelled, or had ended, is so."""
    if is_about_task(result):
        said = result.get("structuredContent", {}).get("status") == "cancelled"
        ended = result["content"][0]["text"].startswith(OVER)
        name = world.trace.name(task_id)
        world.demand(said is not ended, f"{name} is said to be neither cancelled nor over: {result}")
        world.demand(world.store.is_over(task_id), f"{name} is said to be over, and is not")


def check_status(world: "World", caller: Caller, task_id: str, status: str) -> None:
    """Demand that a task is said to be what one of its versions was; a tool that returned an error has failed."""
    words = {word(version, caller, "2025-11-25") for version in world.store.versions[task_id]}
    world.demand(status in words, f"{world.trace.name(task_id)} is said to be {status}")


def check_listed(world: "World", caller: Caller, shown: Mapping[str, Any]) -> None:
    """Demand that a task is listed as one of its versions was."""
    task_id = shown["task_id"]
    check_status(world, caller, task_id, shown["status"])
    about = shown["tool"], shown["created_at"], shown["updated_at"]
    known = [
        (each.tool, _seconds(each.created_at), _seconds(each.updated_at)) for each in world.store.versions[task_id]
    ]
    world.demand(about in known, f"{world.trace.name(task_id)} is listed as {about}")


def _seconds(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
