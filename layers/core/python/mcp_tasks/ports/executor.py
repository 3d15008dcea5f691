"""Where the work on tasks is done."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from mcp_tasks.tasks.model import JSON, Task


class Execution(StrEnum):
    """What became of the work on a task."""

    ABSENT = "absent"
    RUNNING = "running"
    ENDED = "ended"


class Executor(Protocol):
    """Where the work is done: one execution a task, named by the task's id.

    Every method raises `ExecutorUnavailable` when it could not tell or do what was asked, and may be repeated.
    """

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work, unless it was started before."""

    def stop(self, task: Task, reason: str) -> None:
        """Stop the work, if there is any."""

    def resume(self, task: Task) -> None:
        """Let work go on that was suspended with one of the task's tokens, unless it does already or has ended."""

    def describe(self, task: Task) -> Execution:
        """Tell whether the work runs."""


class ExecutorUnavailable(Exception):
    """The executor could not be reached or refused for now."""
