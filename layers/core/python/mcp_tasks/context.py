"""What a running tool may use: one object, given to the parameter that is annotated `Context`."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, TypeVar

from mcp_tasks.tasks.model import JSON, Progress
from mcp_tasks.tenancy import Caller

T = TypeVar("T")

LONGEST_MESSAGE = 500


class TaskCancelled(BaseException):
    """Nobody waits for the outcome any more: clean up and let this pass.

    Not an `Exception`, so that a tool's own `except Exception` does not swallow it.
    """


class Journal(Protocol):
    """Where a run writes down what must be known outside of it."""

    def progressed(self, progress: Progress) -> None:
        """Take note of progress; raises `TaskCancelled` once the task is final."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, running it if it has not; raises `TaskCancelled` once the task is final."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A running tool's link to its caller.

    `task_id` is None when the tool was called without a task.  `attempt` counts from 1 and is higher whenever the
    tool is run again, from the top, because its process died; runs that found no room in Lambda are counted too.
    """

    caller: Caller
    journal: Journal
    task_id: str | None = None
    attempt: int = 1

    def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far the work is; raises `TaskCancelled`.

        Progress only ever rises; at most one report a second is kept, the rest costs nothing.
        """
        if not (isfinite(progress) and isfinite(total or 0)):
            raise ValueError(f"progress of {progress} out of {total} means nothing")
        self.journal.progressed(Progress(progress=progress, total=total, message=message and message[:LONGEST_MESSAGE]))

    def step(self, name: str, fn: Callable[[], T]) -> T:
        """Run `fn` and keep what it gave; when the tool runs again, that is returned and `fn` left alone.

        If the process dies before that is kept, `fn` runs again.  What `fn` returns must be JSON; a replayed run gets
        it as JSON gives it back.  Raises `TaskCancelled`.
        """
        return self.journal.step(name, fn)  # type: ignore[no-any-return]  # JSON in, the same JSON out
