"""How clients wait: by `tasks/result`, whose connections are held at times, or by polling `tasks/get`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mcp_tasks.limits.waits import MAX_HOLD
from mcp_tasks.tasks.durations import Durations
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.pace import Known, Pacing, pace
from tests.kit import NOON
from tests.scale.waiting import Pace


def streams(durations: Durations | None) -> Pace:
    """Return the policy of those who wait by `tasks/result` since the task began."""

    def look(task: Task, now: datetime, looks: int) -> Pacing:
        found = pace(task, now, Known(durations=durations, waits_since=NOON, polls=looks))
        return found._replace(hold=min(found.hold, MAX_HOLD))

    return look


def polls(durations: Durations | None) -> Pace:
    """Return the policy of those who poll."""

    def look(task: Task, now: datetime, looks: int) -> Pacing:
        return Pacing(max(task.poll_interval, pace(task, now, Known(durations=durations)).after))

    return look


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to wait; `counted` is the name of the counts that say what it costs."""

    policy: Callable[[Durations | None], Pace]
    counted: str
    knows: bool
    """Whether it is known how long the tool took lately."""


WAYS: Final[Mapping[str, Way]] = {
    "tasks/result": Way(policy=streams, counted="wait", knows=False),
    "tasks/result, known": Way(policy=streams, counted="wait", knows=True),
    "polling": Way(policy=polls, counted="polled", knows=False),
    "polling, known": Way(policy=polls, counted="polled", knows=True),
}
