"""The nouns: a task, its state, and how it may end.

Nothing here knows a protocol revision.  `completed` and `failed` are words on the wire, and the revisions
disagree about them, so what is kept is the outcome; each revision finds its own word while rendering.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

from mcp_tasks.limits.waits import KEPT

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
class Failed:
    """The call itself failed, as a JSON-RPC error would say it."""

    code: int
    message: str
    data: JSON = None


Outcome: TypeAlias = Returned | Failed


class OutcomeKind(StrEnum):
    """What kind of outcome a finished task has, known without loading the outcome."""

    RETURNED = "returned"
    RETURNED_ERROR = "returned_error"
    FAILED = "faulted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the work has come, in the tool's own units."""

    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """What a tool asks of its client, in the protocol's method and params.

    After `timeout`, if there is one, a task goes on without an answer.
    """

    key: str
    method: str
    params: Mapping[str, JSON]
    timeout: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputResponse:
    """What came back for an input request: a result, or the client's error, or neither because time ran out."""

    result: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One tool call that outlives its request.

    `machine` names the state machine that does the work; `timeout` bounds it, from the start or from the last answer;
    `ttl` counts from `created_at`.  `progress_token`, `session`, `scopes` and `client_capabilities` (what the client
    can be asked) are those of the request that created the task.

    `asked` are the keys of all input requests so far, in their order; `input_requests` are the ones without an answer,
    shown to the client once the work is suspended, and `task_token` is what lets it go on.  `earlier_tokens` are those
    of attempts to suspend it before, for the same answers: nobody can tell the order in which such attempts were begun.
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
    status_message: str | None = None
    progress: Progress | None = None
    progress_token: str | int | None = None
    session: str | None = None
    scopes: frozenset[str] = frozenset()
    client_capabilities: frozenset[str] = frozenset()
    requested: tuple[str, ...] = ()
    requested_at: datetime | None = None
    input_requests: tuple[InputRequest, ...] = ()
    task_token: str | None = None
    earlier_tokens: tuple[str, ...] = ()
    resumed_at: datetime | None = None
    outcome_kind: OutcomeKind | None = None

    @property
    def expires_at(self) -> datetime:
        """From here on the task is gone, deleted or not."""
        return self.created_at + self.ttl

    @property
    def due_at(self) -> datetime:
        """By now the work must have ended, or the client must have answered."""
        latest = self.expires_at - KEPT
        if self.state is State.INPUT_REQUIRED:
            return latest
        return min((self.resumed_at or self.created_at) + self.timeout, latest)

    @property
    def open_input_requests(self) -> tuple[InputRequest, ...]:
        """What the client is asked now."""
        return self.input_requests if self.state is State.INPUT_REQUIRED else ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """What may let the work go on: it is suspended with one of these, most likely with the last."""
        return () if self.task_token is None else (*self.earlier_tokens, self.task_token)

    def deadline(self, input_request: InputRequest) -> datetime:
        """Return when the task goes on without an answer to one of its input requests."""
        latest = self.expires_at - KEPT
        if input_request.timeout is None or self.requested_at is None:
            return latest
        return min(self.requested_at + input_request.timeout, latest)
