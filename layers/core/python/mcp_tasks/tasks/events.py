"""What can happen to a task, in the past tense."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mcp_tasks.tasks.model import InputRequest, InputResponse, Outcome, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """The work came further."""

    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReported:
    """The work said in words where it stands."""

    status_message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequested:
    """A run ended because it cannot go on without these answers."""

    input_requests: tuple[InputRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """The work waits for the client, and nothing runs; the token lets it go on."""

    task_token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputReceived:
    """Responses came to the input requests of these keys, and others are still missing."""

    responses: Mapping[str, InputResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The last responses came."""

    responses: Mapping[str, InputResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The work ended with this outcome; `status_message` says it in a line for people."""

    outcome: Outcome
    status_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """Nobody wants the outcome any more."""

    status_message: str


Event: TypeAlias = (
    Progressed | StatusReported | InputRequested | Suspended | InputReceived | Resumed | Finished | Cancelled
)
