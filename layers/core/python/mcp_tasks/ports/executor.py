"""The executor: it runs the work of tasks, on AWS as executions of Step Functions or, for some tools, by events."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from mcp_tasks.tasks.model import JSON, Task


class Execution(StrEnum):
    """The state of a task's execution."""

    ABSENT = "absent"
    RUNNING = "running"
    ENDED = "ended"


class Executor(Protocol):
    """Starts, stops, resumes and describes executions: one for each task, named by the task's id.

    Every method may be repeated, and raises `ExecutorUnavailable` where it failed for now.
    """

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the execution of a task, unless it was started before."""

    def stop(self, task: Task, reason: str) -> None:
        """Stop the execution of a task, if it runs; the reason is for its history."""

    def resume(self, task: Task) -> None:
        """Resume an execution that waits for one of the task's tokens, unless it runs already or has ended."""

    def describe(self, task: Task) -> Execution:
        """Return whether the execution of a task runs, has ended or was never started."""

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of tasks whose executions ran a moment ago, page by page; a few of those may be missing."""


class ExecutorUnavailable(Exception):
    """The executor could not be reached, or rejected the request for now: try again later."""


class ExecutorThrottled(ExecutorUnavailable):
    """The executor takes no more requests for now, whichever task they are for."""
