"""The nouns: a task, its state, and how it may end.

Nothing here knows a protocol revision.  `completed` and `failed` are words on the wire, and the revisions
disagree about them, so what is kept is the outcome; each revision finds its own word while rendering.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

JSON: TypeAlias = Any
"""Whatever `json.loads` returns."""


class State(StrEnum):
    """Where a task stands."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The tool answered; `is_error` says that the answer tells of a failure."""

    result: Mapping[str, JSON]
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulted:
    """The call itself failed, as a JSON-RPC error would say it."""

    code: int
    message: str
    data: JSON = None


Outcome: TypeAlias = Returned | Faulted


class Ending(StrEnum):
    """What kind of outcome a finished task has, known without loading the outcome."""

    RETURNED = "returned"
    RETURNED_ERROR = "returned_error"
    FAULTED = "faulted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the work has come, in the tool's own units."""

    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a running task asks of its client, in the protocol's method and params."""

    key: str
    method: str
    params: Mapping[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One tool call that outlives its request.

    `machine` names the state machine that does the work, `timeout` bounds it; `ttl` counts from `created_at`.
    `progress_token`, `session` and `scopes` are those of the request that created the task.
    """

    id: str
    tool: str
    created_at: datetime
    updated_at: datetime
    ttl: timedelta
    timeout: timedelta
    poll_interval: timedelta
    machine: str
    state: State = State.WORKING
    version: int = 1
    note: str | None = None
    progress: Progress | None = None
    progress_token: str | int | None = None
    session: str | None = None
    scopes: frozenset[str] = frozenset()
    questions: tuple[Question, ...] = ()
    ending: Ending | None = None

    @property
    def expires_at(self) -> datetime:
        """From here on the task is gone, deleted or not."""
        return self.created_at + self.ttl

    @property
    def due_at(self) -> datetime:
        """By now the work must have ended."""
        return self.created_at + self.timeout
