"""What can happen to a task, in the past tense."""

from dataclasses import dataclass
from typing import TypeAlias

from mcp_tasks.tasks.model import Outcome, Progress, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """The work came further."""

    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The work cannot go on without these answers."""

    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One answer came, and others are still missing."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The last answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The work ended with this outcome; `note` says it in a line for people."""

    outcome: Outcome
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """Nobody wants the outcome any more."""

    note: str


Event: TypeAlias = Progressed | Asked | Answered | Resumed | Settled | Cancelled
