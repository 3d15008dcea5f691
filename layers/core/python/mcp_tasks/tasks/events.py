"""The events of a task: what `transitions.advance` applies to it.  Each is named for what has happened.

Named tuples are made in an eighth of a dataclass's time, which every cold start waits for.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, TypeAlias

from mcp_tasks.tasks.model import InputRequest, InputResponse, Outcome, Progress


class SlotNeeded(NamedTuple):
    """A run of the tool is to begin, of a task that holds no slot: it slept, or release 0.3 created it."""


class Started(NamedTuple):
    """The task got a slot, of the counter that has this number; None where it needs none."""

    slot: int | None


class Progressed(NamedTuple):
    """The tool reported progress."""

    progress: Progress


class StatusReported(NamedTuple):
    """The tool reported its status in words, without a number."""

    status_message: str


class EndExpected(NamedTuple):
    """The tool said when the work will be done."""

    expected_at: datetime


class InputRequested(NamedTuple):
    """A run of the tool ended because it needs responses to these input requests; they are not shown to clients yet."""

    input_requests: tuple[InputRequest, ...]


class SleepStarted(NamedTuple):
    """A run of the tool ended because it sleeps until then."""

    wakes_at: datetime


class Suspended(NamedTuple):
    """The execution waits for the task token, no code runs, and clients are shown the input requests."""

    task_token: str


class InputReceived(NamedTuple):
    """Responses to some of the open input requests came, by key; others are still missing."""

    responses: Mapping[str, InputResponse]


class Resumed(NamedTuple):
    """Responses to all remaining input requests came, so the tool runs again once there is a slot."""

    responses: Mapping[str, InputResponse]


class Finished(NamedTuple):
    """The work ended with an outcome; `status_message` tells people of a failure in one line."""

    outcome: Outcome
    status_message: str | None = None


class CancelRequested(NamedTuple):
    """The caller cancelled the task, which ends it without an outcome."""

    status_message: str


Event: TypeAlias = (
    SlotNeeded
    | Started
    | Progressed
    | StatusReported
    | EndExpected
    | InputRequested
    | SleepStarted
    | Suspended
    | InputReceived
    | Resumed
    | Finished
    | CancelRequested
)
