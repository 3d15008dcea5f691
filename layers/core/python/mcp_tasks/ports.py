"""What the core needs from the outside, one role each; `adapters/` keeps these promises, tests/contract checks them.

Every read of a task takes the scope of its owner (`Caller.scope`), so that a read across tenants cannot be written.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from mcp_tasks.tasks.model import JSON, Outcome, Task


class Clock(Protocol):
    """The time, and the passing of it."""

    def now(self) -> datetime:
        """Return the present, aware and in UTC."""

    def sleep(self, duration: timedelta) -> None:
        """Come back when that much time has passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The client's own name for a request, and a digest of what it asked for."""

    name: str
    fingerprint: str


class TaskStore(Protocol):
    """The truth about tasks.

    A task whose `expires_at` has passed is not there, whether or not it has been deleted yet.
    """

    def create(
        self, scope: str, task: Task, arguments: Mapping[str, JSON], *, key: IdempotencyKey | None, limit: int
    ) -> Task:
        """Add a task and count it against its tenant's `limit`, both or neither.

        Returns the stored task: an earlier one if `key` was used for the same request before.
        Raises `TooManyTasks` and `KeyReused`.
        """

    def read(self, scope: str, task_id: str) -> Task:
        """Return the task as last written; raises `TaskNotFound`."""

    def write(self, scope: str, before: Task, after: Task, outcome: Outcome | None = None) -> None:
        """Replace `before` by `after`, with its outcome when it ends so.

        A task that becomes final stops counting against its tenant's limit, in the same write.
        Raises `StaleTask` when the stored task is not `before` any more.
        """

    def arguments(self, scope: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the tool was called with; raises `TaskNotFound`."""

    def outcome(self, scope: str, task_id: str) -> Outcome:
        """Return how a finished task ended; raises `TaskNotFound`."""

    def page(self, scope: str, *, after: str | None, limit: int) -> Sequence[Task]:
        """Return up to `limit` tasks of the scope, oldest first, that come after the id `after`."""

    def recall(self, scope: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""

    def record(self, scope: str, task: Task, step: str, value: JSON) -> JSON:
        """Keep what a step produced, unless it is kept already; returns what is kept."""

    def claim(self, scope: str, task: Task) -> bool:
        """Tell whether this version of the task may be announced: True once for each version, in rising order."""

    def release(self, scope: str, task: Task) -> None:
        """Stop counting a task that was deleted while it was live; harmless when repeated."""


class Backlog(Protocol):
    """The live tasks of all tenants whose time for a check has come; for the sweep alone."""

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Yield scope and id of up to `limit` live tasks to check, the most overdue first."""

    def postpone(self, scope: str, task_id: str, until: datetime) -> None:
        """Let a live task be checked again at `until`."""

    def discard(self, scope: str, task_id: str) -> None:
        """Delete the task if it has expired."""


class Execution(StrEnum):
    """What became of the work on a task."""

    ABSENT = "absent"
    RUNNING = "running"
    ENDED = "ended"


class Executor(Protocol):
    """Where the work is done: one execution a task, named by the task's id.

    Every method raises `ExecutorUnavailable` when it could not tell or do what was asked, and may be repeated.
    """

    def start(self, scope: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work, unless it was started before."""

    def stop(self, task: Task, reason: str) -> None:
        """Stop the work, if there is any."""

    def look(self, task: Task) -> Execution:
        """Tell whether the work runs."""


class ExecutorUnavailable(Exception):
    """The executor could not be reached or refused for now."""


class Watch(Protocol):
    """One waiter's view of some tasks."""

    def pause(self, at_most: timedelta) -> None:
        """Come back when it is time to read them again: soon after one changed, and now and then in any case."""


class Waiter(Protocol):
    """What wakes those who wait for tasks.

    The order is a law: open the watch, then read the tasks, then pause.  The stored task is the truth; a watch only
    says "look again".
    """

    def watch(self, scope: str, *task_ids: str) -> AbstractContextManager[Watch]:
        """Open a watch that notices every change of these tasks from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a client and the server agreed on, for revisions that shake hands."""

    id: str
    version: str
    capabilities: Mapping[str, JSON]
    expires_at: datetime
    log_level: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What is remembered of a stream that answers one request.

    `task_id` is the task behind a call that is no task to its client; `dropped` says that the client waits no more.
    """

    task_id: str | None = None
    dropped: bool = False


class SessionStore(Protocol):
    """The sessions of each caller, what they watch, and the streams on which they wait for answers."""

    def save(self, scope: str, session: Session) -> None:
        """Keep the session, new or changed."""

    def load(self, scope: str, session_id: str) -> Session | None:
        """Return the session unless it ended, expired or is somebody else's."""

    def end(self, scope: str, session_id: str) -> None:
        """Forget the session."""

    def subscribe(self, scope: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Let a session hear of what is newer than this version of an address."""

    def unsubscribe(self, scope: str, session_id: str, uri: str) -> None:
        """Let a session hear no more of an address; harmless when repeated."""

    def subscriptions(self, scope: str, session_id: str) -> Mapping[str, int]:
        """Return what a session wants to hear of, and the last version that it was told of each."""

    def claim(self, scope: str, session_id: str, uri: str, version: int) -> bool:
        """Tell whether this version may be told: True once for each version of a subscription, in rising order."""

    def save_stream(self, scope: str, name: str, stream: Stream, until: datetime) -> None:
        """Keep what is to be remembered of a stream, new or changed."""

    def load_stream(self, scope: str, name: str) -> Stream | None:
        """Return what is remembered of a stream, if anything is."""


class Board(Protocol):
    """What changed at the addresses that clients watch; the callers of one tenant share a board."""

    def post(self, scope: str, uri: str) -> None:
        """Note that what is at the address changed."""

    def version(self, scope: str, uri: str) -> int:
        """Return a number that rises with each change; 0 if there was none for long."""


class Keys(Protocol):
    """Secrets that sign what clients carry for us."""

    def current(self) -> tuple[str, bytes]:
        """Return the name and the value of the key to sign with now."""

    def find(self, name: str) -> bytes | None:
        """Return a key that was used for signing not too long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """All of the outside, for those who wire it."""

    clock: Clock
    tasks: TaskStore
    backlog: Backlog
    executor: Executor
    waiter: Waiter
    sessions: SessionStore
    board: Board
    keys: Keys
