"""The events of a task: what `transitions.advance` applies to it.  Each is named for what has happened."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from mcp_tasks.tasks.model import InputRequest, InputResponse, Outcome, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotNeeded:
    """A run of the tool is to begin, of a task that holds no slot: it slept, or release 0.3 created it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The task got a slot, of the counter that has this number; None where it needs none."""

    slot: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """The tool reported progress."""

    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReported:
    """The tool reported its status in words, without a number."""

    status_message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequested:
    """A run of the tool ended because it needs responses to these input requests; they are not shown to clients yet."""

    input_requests: tuple[InputRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepStarted:
    """A run of the tool ended because it sleeps until then."""

    wakes_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """The execution waits for the task token, no code runs, and clients are shown the input requests."""

    task_token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputReceived:
    """Responses to some of the open input requests came, by key; others are still missing."""

    responses: Mapping[str, InputResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Responses to all remaining input requests came, so the tool runs again once there is a slot."""

    responses: Mapping[str, InputResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The work ended with an outcome; `status_message` tells people of a failure in one line."""

    outcome: Outcome
    status_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested:
    """The caller cancelled the task, which ends it without an outcome."""

    status_message: str


Event: TypeAlias = (
    SlotNeeded
    | Started
    | Progressed
    | StatusReported
    | InputRequested
    | SleepStarted
    | Suspended
    | InputReceived
    | Resumed
    | Finished
    | CancelRequested
)
