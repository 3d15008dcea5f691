"""What must hold from one version of a task to the next: what it was created with stays, and nothing goes back."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final

if TYPE_CHECKING:
    from tests.simulation.world import World

CREATED_WITH: Final = (
    *("id", "tool", "created_at", "ttl", "timeout", "poll_interval", "machine", "progress_token", "session", "scopes"),
    *("actor", "client_id", "plan", "client_capabilities", "tool_version", "trace", "expected", "not_before"),
)
"""What a task keeps of what it was created with."""

MOMENTS: Final = ("updated_at", "started_at", "resumed_at", "requested_at")
"""When something was done to a task last."""


@dataclass(slots=True)
class Versions:
    """The versions of a world's tasks."""

    world: "World"

    def after_a_move(self) -> None:
        """Demand that nothing of a task went back since the last move."""
        for change in self.world.store.changes.new(self):
            if change.before is not None and change.after is not None:
                for each in _went_back(change.before, change.after):
                    self.world.demand(False, f"{self.world.trace.name(change.task.id)}: {each}")


def _went_back(before: Task, after: Task) -> list[str]:
    """Return what of a task is not as it was, though it has to be, or was farther before."""
    changed = [f"{each} is changed" for each in CREATED_WITH if getattr(before, each) != getattr(after, each)]
    # What is final sleeps no more.
    moments = MOMENTS if is_final(after) else (*MOMENTS, "wakes_at")
    earlier = [each for each in moments if _is_earlier(getattr(before, each), getattr(after, each))]
    forgotten = [key for key in before.requested if key not in after.requested]
    lost = [each for each in ("progress", "expected_at") if getattr(before, each) and not getattr(after, each)]
    return [
        *changed,
        *(f"{each} goes back" for each in earlier),
        *(f"{key} was not requested any more" for key in forgotten),
        *(f"{each} is gone" for each in lost),
    ]


def _is_earlier(before: datetime | None, after: datetime | None) -> bool:
    return before is not None and (after is None or after < before)
