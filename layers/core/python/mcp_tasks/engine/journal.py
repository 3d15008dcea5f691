"""What a run of a task writes down: kept in the store, and the place where the run learns of its end."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from mcp_tasks.authoring.control_signals import Interrupted, TaskCancelled
from mcp_tasks.authoring.replay_log import ReplayLog, as_json
from mcp_tasks.authoring.text import Level
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.waits import BETWEEN_REPORTS
from mcp_tasks.tasks.errors import IllegalTransition, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Progressed, StatusReported
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress, Task
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class TaskJournal:
    """The journal of a run that belongs to a task; every method may also raise `Interrupted`."""

    tasks: TaskOperations
    owner_key: str
    task: Task
    _written: datetime | None = field(default=None, init=False)
    _replay_log: ReplayLog[InputResponse] = field(init=False)

    def __post_init__(self) -> None:
        """Begin the run where the task stands."""
        self._replay_log = ReplayLog(requested=list(self.task.requested))

    def progressed(self, progress: Progress) -> None:
        """Write rising progress, at most once a second; see `Journal`."""
        now = self.tasks.now()
        if self._written is not None and now - self._written < BETWEEN_REPORTS:
            return
        self._written = now
        known = self.task.progress
        with _link():
            # A second attempt reports from the top again, and the protocol wants progress to rise.
            if known is None or progress.progress > known.progress:
                self._write(Progressed(progress=progress))
            else:
                self._check_still_wanted()

    def status_reported(self, status_message: str) -> None:
        """Write words that differ from those of before; see `Journal`."""
        with _link():
            if status_message == self.task.status_message:
                self._check_still_wanted()
            else:
                self._write(StatusReported(status_message=status_message))

    def continue_as_task(self) -> None:
        """Go on: this is the task; see `Journal`."""

    @property
    def client_capabilities(self) -> frozenset[str]:
        """Return what the client could be asked that created the task; see `Journal`."""
        return self.task.client_capabilities

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Tell nobody: the client left with the task's id, and no message waits for it; see `Journal`."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, or run it and keep what it gave; see `Journal`."""
        with _link():
            recorded = self.tasks.recorded_step(self.owner_key, self.task.id, name)
            if recorded is not None:
                return recorded[0]
            self._check_still_wanted()
        value = as_json(run(), name)
        with _link():
            return self.tasks.record_step(self.owner_key, self.task, name, value)

    def updated(self, uri: str) -> None:
        """Post it for the task's tenant; see `Journal`."""
        with _link():
            self.tasks.publish(self.owner_key, uri)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return what was replied, or end the run; see `Journal`."""
        with _link():
            self._check_still_wanted()
            found = {each.key: self.tasks.response(self.owner_key, self.task.id, each.key) for each in input_requests}
        self._replay_log.responses |= {key: response for key, response in found.items() if response is not None}
        return self._replay_log.request_input(input_requests)

    def _write(self, report: Progressed | StatusReported) -> None:
        try:
            self.task = self.tasks.apply(self.owner_key, self.task.id, report)
        except StaleTask:
            said = {"task": self.task.id, "fallback": "report_left_out"}
            logger.info("a report is left out, the next one will do", extra=said)

    def _check_still_wanted(self) -> None:
        if is_final(self.tasks.read(self.owner_key, self.task.id)):
            raise TaskCancelled


@contextmanager
def _link() -> Iterator[None]:
    """Say in words for tools what goes wrong between a run and its task."""
    try:
        yield
    except (IllegalTransition, TaskNotFound) as error:
        raise TaskCancelled from error
    except Exception as error:
        raise Interrupted from error
