"""Bugs of what tools use in some stories only."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from mcp_tasks.tasks import transitions
from mcp_tasks.tasks.events import SleepStarted
from mcp_tasks.tasks.model import Task
from tests.simulation.planted.plant import Plant


def _as_it_comes(changes: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, event: object, at: datetime) -> dict[str, Any]:
        right: dict[str, Any] = changes(task, event, at)
        return {**right, "wakes_at": event.wakes_at} if isinstance(event, SleepStarted) else right

    return wrong


FEATURES: Final = (
    Plant(
        "an earlier sleep that comes late shortens the task's",
        transitions,
        "_changes_suspending",
        _as_it_comes,
        "wakes_at goes back|had time until",
    ),
)
