"""Progress that a task's state machine reports, where no code of its tool runs that could."""

from mcp_tasks.authoring.text import sendable
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Progress, Task


@record
class ProgressReports:
    """Reports the progress of tasks by their ids."""

    tasks: TaskOperations

    def report(
        self,
        owner_key: str,
        task_id: str,
        *,
        message: str | None = None,
        progress: float | None = None,
        total: float | None = None,
    ) -> None:
        """Report progress, or one more than the task has, so that the items of a Map count themselves.

        Does nothing if the task is suspended, final or gone, or its progress is as high already.  A state that is
        repeated counts twice, but never beyond the total.
        """
        short = message and sendable(str(message)[:MAX_LINE_CHARACTERS])

        def decide(task: Task) -> Progressed | None:
            known = task.progress.progress if task.progress else None
            reached = _next(known, total) if progress is None else float(progress)
            if known is not None and reached <= known:
                return None
            return Progressed(progress=Progress(progress=reached, total=total, message=short))

        try:
            self.tasks.change(owner_key, task_id, decide)
        except (IllegalTransition, TaskNotFound):
            return


def _next(known: float | None, total: float | None) -> float:
    following = (known or 0) + 1
    return following if total is None else min(following, total)
