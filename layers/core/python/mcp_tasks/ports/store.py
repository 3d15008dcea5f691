"""Where tasks are kept: the store itself, and the backlog of live tasks that the sweep checks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialRecords:
    """What a call recorded before it became a task: results of its steps, and responses to its input requests."""

    steps: Mapping[str, JSON] = field(default_factory=dict)
    responses: Mapping[str, InputResponse] = field(default_factory=dict)


NO_RECORDS = InitialRecords()


class TaskStore(Protocol):
    """The truth about tasks.

    A task whose `expires_at` has passed is not there, whether or not it has been deleted yet.
    """

    def create(
        self,
        owner_key: str,
        task: Task,
        arguments: Mapping[str, JSON],
        *,
        key: IdempotencyKey | None,
        limit: int,
        records: InitialRecords = NO_RECORDS,
    ) -> Task:
        """Add a task, with what it begins with, and count it against its tenant's `limit`, both or neither.

        Returns the stored task: an earlier one if `key` was used for the same request before, and stands for that.
        Raises `TooManyTasks` and `KeyReused`.
        """

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task as last written; raises `TaskNotFound`."""

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = MappingProxyType({}),
    ) -> None:
        """Replace `before` by `after`, with its outcome when it ends so, and with responses to its input requests.

        A task that becomes final stops counting against its tenant's limit, in the same write.
        Raises `StaleTask` when the stored task is not `before` any more.
        """

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the tool was called with; raises `TaskNotFound`."""

    def outcome(self, owner_key: str, task_id: str) -> Outcome:
        """Return how a finished task ended; raises `TaskNotFound`."""

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return what was replied to one of the task's input requests, if anything was."""

    def awaiting_input(self, owner_key: str, session: str) -> Sequence[str]:
        """Return the ids of the tasks of a session whose input requests are open."""

    def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Return up to `limit` tasks of the owner, newest first, whose ids come before `before`."""

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Keep what a step produced, unless it is kept already; returns what is kept."""

    def claim(self, owner_key: str, task: Task, listener: str) -> bool:
        """Tell whether this version may be told to a listener: True once for each of both, in rising order."""

    def release(self, owner_key: str, task_id: str) -> None:
        """Stop counting a task that was deleted while it was live; harmless when repeated."""


class Backlog(Protocol):
    """The live tasks of all tenants whose time for a check has come; for the sweep alone."""

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Yield owner key and id of up to `limit` live tasks to check, the most overdue first."""

    def postpone(self, owner_key: str, task_id: str, until: datetime) -> None:
        """Let a live task be checked again at `until`."""

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete the task if it has expired."""
