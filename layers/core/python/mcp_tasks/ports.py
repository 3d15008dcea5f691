"""What the core needs from the outside, one role each; `adapters/` keeps these promises, tests/contract checks them.

Every read of a task takes the scope of its owner (`Caller.scope`), so that a read across tenants cannot be written.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, Outcome, Reply, Task


class Clock(Protocol):
    """The time, and the passing of it."""

    def now(self) -> datetime:
        """Return the present, aware and in UTC."""

    def sleep(self, duration: timedelta) -> None:
        """Come back when that much time has passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """What a call brought about before it became a task: what its steps recorded, and the replies to its questions."""

    steps: Mapping[str, JSON] = field(default_factory=dict)
    replies: Mapping[str, Reply] = field(default_factory=dict)


NOTHING = Seed()


class TaskStore(Protocol):
    """The truth about tasks.

    A task whose `expires_at` has passed is not there, whether or not it has been deleted yet.
    """

    def create(
        self,
        scope: str,
        task: Task,
        arguments: Mapping[str, JSON],
        *,
        key: IdempotencyKey | None,
        limit: int,
        seed: Seed = NOTHING,
    ) -> Task:
        """Add a task, with what it begins with, and count it against its tenant's `limit`, both or neither.

        Returns the stored task: an earlier one if `key` was used for the same request before, and stands for that.
        Raises `TooManyTasks` and `KeyReused`.
        """

    def read(self, scope: str, task_id: str) -> Task:
        """Return the task as last written; raises `TaskNotFound`."""

    def write(
        self,
        scope: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        replies: Mapping[str, Reply] = MappingProxyType({}),
    ) -> None:
        """Replace `before` by `after`, with its outcome when it ends so, and with what was replied to its questions.

        A task that becomes final stops counting against its tenant's limit, in the same write.
        Raises `StaleTask` when the stored task is not `before` any more.
        """

    def arguments(self, scope: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the tool was called with; raises `TaskNotFound`."""

    def outcome(self, scope: str, task_id: str) -> Outcome:
        """Return how a finished task ended; raises `TaskNotFound`."""

    def reply(self, scope: str, task_id: str, key: str) -> Reply | None:
        """Return what was replied to one of the task's questions, if anything was."""

    def asking(self, scope: str, session: str) -> Sequence[str]:
        """Return the ids of the tasks of a session whose questions are open."""

    def page(self, scope: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Return up to `limit` tasks of the scope, newest first, whose ids come before `before`."""

    def recall(self, scope: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""

    def record(self, scope: str, task: Task, step: str, value: JSON) -> JSON:
        """Keep what a step produced, unless it is kept already; returns what is kept."""

    def claim(self, scope: str, task: Task, listener: str) -> bool:
        """Tell whether this version may be told to a listener: True once for each of both, in rising order."""

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

    def resume(self, task: Task) -> None:
        """Let work go on that was parked with one of the task's tokens, unless it does already or has ended."""

    def look(self, task: Task) -> Execution:
        """Tell whether the work runs."""


class ExecutorUnavailable(Exception):
    """The executor could not be reached or refused for now."""


class Waker(StrEnum):
    """Why somebody who waited looked again: they were told of a change, or looked by the clock, or had to answer."""

    STREAM = "stream"
    POLL = "poll"
    DEADLINE = "deadline"


class Watch(Protocol):
    """One waiter's view of some tasks."""

    def pause(self, at_most: timedelta) -> Waker:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What is remembered of a question on its way to one client: the request that carries it, and on which stream.

    `turn` counts the requests that did; without a stream the next one that comes along takes the question, but not
    before `not_before`.  `misfits` counts the answers that did not fit, `fault` says why the last one did not.  Where a
    request is more than the question, `step` says what it is, and `client_task` which of the client's own tasks it is
    about.
    """

    turn: int = 1
    stream: str | None = None
    request_id: str | None = None
    not_before: datetime | None = None
    misfits: int = 0
    fault: str | None = None
    step: str | None = None
    client_task: str | None = None


class SessionStore(Protocol):
    """The sessions of each caller, what they watch, and what travels on which of their streams."""

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

    def save_delivery(self, scope: str, name: str, delivery: Delivery, until: datetime) -> bool:
        """Keep the delivery if its turn comes next; tells whether it did."""

    def load_delivery(self, scope: str, name: str) -> Delivery | None:
        """Return what is remembered of a delivery, if anything is."""


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
