"""What a run of a task writes down: kept in the store, and the place where the run learns of its end."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.context import TaskCancelled
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.errors import IllegalMove, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import JSON, Progress, Task

logger = logging.getLogger(__name__)

BETWEEN_REPORTS = timedelta(seconds=1)


class Interrupted(BaseException):
    """The store failed the run: no fault of the tool, whose own `except Exception` must not take it for one."""


@dataclass(slots=True, kw_only=True)
class TaskJournal:
    """The journal of a run that belongs to a task; every method may also raise `Interrupted`."""

    tasks: TaskService
    scope: str
    task: Task
    _written: datetime | None = field(default=None, init=False)

    def progressed(self, progress: Progress) -> None:
        """Write rising progress, at most once a second; see `Journal`."""
        now = self.tasks.ports.clock.now()
        if self._written is not None and now - self._written < BETWEEN_REPORTS:
            return
        self._written = now
        known = self.task.progress
        with _link():
            # A second attempt reports from the top again, and the protocol wants progress to rise.
            if known is None or progress.progress > known.progress:
                self._write(progress)
            else:
                self._check_still_wanted()

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, or run it and keep what it gave; see `Journal`."""
        store = self.tasks.ports.tasks
        with _link():
            recorded = store.recall(self.scope, self.task.id, name)
            if recorded is not None:
                return recorded[0]
            self._check_still_wanted()
        value = _as_json(run(), name)
        with _link():
            return store.record(self.scope, self.task, name, value)

    def _write(self, progress: Progress) -> None:
        try:
            self.task = self.tasks.apply(self.scope, self.task.id, Progressed(progress=progress))
        except StaleTask:
            logger.info("a report of task %s is left out, the next one will do", self.task.id)

    def _check_still_wanted(self) -> None:
        if is_final(self.tasks.ports.tasks.read(self.scope, self.task.id)):
            raise TaskCancelled


@contextmanager
def _link() -> Iterator[None]:
    """Say in words for tools what goes wrong between a run and its task."""
    try:
        yield
    except (IllegalMove, TaskNotFound) as error:
        raise TaskCancelled from error
    except Exception as error:
        raise Interrupted from error


def _as_json(value: object, step: str) -> JSON:
    """Return the value as it will be replayed, so that the first run sees no other."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise TypeError(f"step {step} must return JSON: {error}") from error
