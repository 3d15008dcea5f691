"""The model: a task, its state, its input requests, and the outcome that it may end with.

Nothing here depends on a protocol revision.  The revisions disagree about when a task is `completed` and when it is
`failed`, so the outcome is stored, and each revision renders a status of its own from that.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mcp_tasks.limits.waits import KEPT, MAX_DIRECT_RUNS, UNNOTICED
from mcp_tasks.records import record

# Few input requests ask others, and every cold start would define these.
if TYPE_CHECKING:
    from mcp_tasks.tasks.approvals import Approval, Decision

JSON: TypeAlias = Any
"""Whatever `json.loads` returns."""

DEFAULT_MACHINE: Final = "run_tool"
"""The state machine of a tool that names none; `infra/default_machine.py` defines it."""

DIRECT_MACHINE: Final = "direct"
"""In place of a state machine: the tool's runs are started by events, and none suspends its task."""

COMMON_MACHINES: Final = frozenset({DEFAULT_MACHINE, DIRECT_MACHINE})
"""What only runs a tool's code; any other machine is a tool's own."""

LONGEST_WORK: Final = {DIRECT_MACHINE: (MAX_DIRECT_RUNS, UNNOTICED)}
"""How many timeouts of its tool the work on a machine may last, and how much longer; on any other, one and no longer.

A state machine repeats a run at once when it died, and within the timeout; a task without an execution waits for that.
"""


class State(StrEnum):
    """The state of a task; `transitions` says which may follow which."""

    QUEUED = "queued"
    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@record
class Returned:
    """The outcome of a tool that returned a result; `is_error` is the `isError` of that result."""

    result: Mapping[str, JSON]
    is_error: bool = False


@record
class Failed:
    """The outcome of a call that ended in a JSON-RPC error instead of a result."""

    code: int
    message: str
    data: JSON = None


Outcome: TypeAlias = Returned | Failed


class OutcomeKind(StrEnum):
    """The kind of outcome that a finished task has, stored with the task so that the outcome need not be read."""

    RETURNED = "returned"
    RETURNED_ERROR = "returned_error"
    FAILED = "faulted"  # as release 0.1 stored it


@record
class Progress:
    """How far the work has come, in the tool's own units, as in `notifications/progress`."""

    progress: float
    total: float | None = None
    message: str | None = None


@record
class InputRequest:
    """What a tool asks of its client: a method of the protocol, such as `elicitation/create`, and its params.

    `key` is unique within the task.  After `timeout`, if there is one, the task resumes without a response.  With an
    `approval`, others than the client answer it, or others too.
    """

    key: str
    method: str
    params: Mapping[str, JSON]
    timeout: timedelta | None = None
    approval: "Approval | None" = None


@record
class InputResponse:
    """The response to an input request: the client's result or its error, or neither where none came in time.

    That to a request with an `approval` has the decisions that made it, the last of them that of the result.
    """

    result: Mapping[str, JSON] | None = None
    error: Mapping[str, JSON] | None = None
    decisions: tuple["Decision", ...] = ()


@record
class Holding:
    """What a task holds of its tenant's plan, as the store counts it; all that the counters say is the sum of these.

    It is one of its subject's `active` tasks unless release 0.3 created it.  `slot` names the counter at which it is
    running, and `queue` the one at which it is waiting for a slot.  It is `suspended` while it has open input requests.
    """

    active: bool = False
    slot: int | None = None
    queue: int | None = None
    suspended: bool = False


class RunLease(NamedTuple):
    """Which run works on a task that has no execution: its name, its number, and until when it is believed to work."""

    run: str
    number: int
    until: datetime


@record
class Task:
    """A tool call whose work goes on after its request was answered.

    `machine` names the state machine whose execution does the work; `timeout` bounds the work, counted from the start,
    from `started_at`, when it last got a slot, from `resumed_at` or from `wakes_at`, the end of the tool's last sleep;
    `ttl` counts from `created_at`.
    `progress_token`, `session` (only 2025-11-25 has sessions), `scopes` (OAuth's), `actor` and `client_id` (of its
    caller), `client_capabilities` and `plan` (its tenant's, by name) are those of the request that created the task.
    `version` rises by one with each write, but not where `launched` is set, which is that the task's execution was
    started, nor the `lease` of its run, which only a task without an execution has.
    `tool_version` is that of the tool's code under which the task was created, and `trace` the id of the trace that the
    request which created it belongs to.
    `expected` is how long its tool says that the work takes, and `expected_at` when a run of it said that it will end;
    `not_before` is until when its state machine waits, so that the work ends no sooner.

    `requested` are the keys of all input requests so far, in the order in which the tool made them.  `input_requests`
    are those without a response; clients are shown them once the task is suspended.  `task_token` is the Step Functions
    task token that resumes it, and `earlier_tokens` are those of earlier attempts to suspend it for the same responses:
    the order in which Step Functions began such attempts is unknown.
    """

    id: str
    tool: str
    created_at: datetime
    updated_at: datetime
    ttl: timedelta
    timeout: timedelta
    poll_interval: timedelta
    machine: str
    tool_version: str | None = None
    trace: str | None = None
    expected: timedelta | None = None
    expected_at: datetime | None = None
    not_before: datetime | None = None
    state: State = State.WORKING
    version: int = 1
    status_message: str | None = None
    progress: Progress | None = None
    progress_token: str | int | None = None
    session: str | None = None
    scopes: frozenset[str] = frozenset()
    actor: Mapping[str, JSON] | None = None
    client_id: str | None = None
    plan: str | None = None
    client_capabilities: frozenset[str] = frozenset()
    requested: tuple[str, ...] = ()
    requested_at: datetime | None = None
    input_requests: tuple[InputRequest, ...] = ()
    task_token: str | None = None
    earlier_tokens: tuple[str, ...] = ()
    resumed_at: datetime | None = None
    wakes_at: datetime | None = None
    started_at: datetime | None = None
    holding: Holding = Holding()
    outcome_kind: OutcomeKind | None = None
    launched: bool = field(default=False, compare=False)
    lease: RunLease | None = field(default=None, compare=False)

    @property
    def expires_at(self) -> datetime:
        """When the task expires: from then on it is treated as deleted, whether or not it is."""
        return self.created_at + self.ttl

    @property
    def due_at(self) -> datetime:
        """When the work must have ended; a suspended task must have its responses by then, a queued one its slot.

        A sleep puts it off, since its time is not counted.  A task that waits or sleeps as long as it may goes on at
        this very time: its last run begins when no time is left, and has `GRACE` until the sweep may end the task.  So
        a run that is loaded late is not refused.
        """
        latest = self.expires_at - KEPT
        if self.state in (State.INPUT_REQUIRED, State.QUEUED):
            return latest
        began = max(filter(None, (self.created_at, self.resumed_at, self.wakes_at, self.started_at)))
        runs, beside = LONGEST_WORK.get(self.machine, (1, timedelta()))
        return min(began + runs * self.timeout + beside, latest)

    @property
    def status(self) -> State:
        """The state as clients are shown it: no revision has a word for a queued task."""
        return State.WORKING if self.state is State.QUEUED else self.state

    @property
    def lacks_slot(self) -> bool:
        """Whether a run of the tool would need a slot that the task does not hold.

        A slot is a share of the functions that run tools, of which a state machine of the tool's own takes none.
        """
        return self.machine in COMMON_MACHINES and self.holding.slot is None

    @property
    def was_begun(self) -> bool:
        """Whether a run of the tool came to its end before: one that was answered, or that slept."""
        return bool(self.resumed_at or self.wakes_at)

    @property
    def open_input_requests(self) -> tuple[InputRequest, ...]:
        """The input requests that clients are shown: those without a response, while the task is suspended."""
        return self.input_requests if self.state is State.INPUT_REQUIRED else ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The task tokens of which one resumes the execution, most likely the last."""
        return () if self.task_token is None else (*self.earlier_tokens, self.task_token)

    def deadline(self, input_request: InputRequest) -> datetime:
        """Return when the task resumes without a response to this input request."""
        latest = self.expires_at - KEPT
        if input_request.timeout is None or self.requested_at is None:
            return latest
        return min(self.requested_at + input_request.timeout, latest)
