"""The journal of a run that belongs to a task: it writes to the store, and learns there that the task has ended."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.authoring.control_signals import Interrupted, Sleeping, TaskCancelled
from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.authoring.replay_log import ReplayLog, as_json
from mcp_tasks.authoring.text import Level
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.waits import BETWEEN_REPORTS, KEPT, LONGEST_RUN
from mcp_tasks.tasks.errors import IllegalTransition, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Progressed, StatusReported
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress, Task
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class TaskJournal:
    """Implements `Journal` on the store; every method raises `Interrupted` where the store fails."""

    tasks: TaskOperations
    owner_key: str
    task: Task
    _reported_at: datetime | None = field(default=None, init=False)
    _replay_log: ReplayLog[InputResponse] = field(init=False)
    _ends_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        """Replay the input requests that earlier runs of the task made."""
        self._replay_log = ReplayLog(requested=list(self.task.requested))
        self._ends_at = min(self.task.due_at, self.tasks.now() + LONGEST_RUN)

    def progressed(self, progress: Progress) -> None:
        """Write progress, at most one report in `BETWEEN_REPORTS`, and only where it is higher than before."""
        now = self.tasks.now()
        if self._reported_at is not None and now - self._reported_at < BETWEEN_REPORTS:
            return
        self._reported_at = now
        known = self.task.progress
        with _control_signals():
            # A later attempt reports the same progress again, and the protocol requires progress to rise.
            if known is None or progress.progress > known.progress:
                self._write(Progressed(progress=progress))
            else:
                self._check_still_wanted()

    def status_reported(self, status_message: str) -> None:
        """Write the status message, if it differs from the one before."""
        with _control_signals():
            if status_message == self.task.status_message:
                self._check_still_wanted()
            else:
                self._write(StatusReported(status_message=status_message))

    def continue_as_task(self) -> None:
        """Return at once: the run belongs to a task already."""

    @property
    def client_capabilities(self) -> frozenset[str]:
        """Return the capabilities of the client that created the task."""
        return self.task.client_capabilities

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Drop the log message: no request of the client is open on which it could be sent."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return the recorded result of the step, or run it and record its result."""
        with _control_signals():
            recorded = self.tasks.recorded_step(self.owner_key, self.task.id, name)
            if recorded is not None:
                return recorded[0]
            self._check_still_wanted()
        value = as_json(run(), name)
        with _control_signals():
            return self.tasks.record_step(self.owner_key, self.task, name, value)

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """End the run until the time is over that the first run recorded; raises `ToolError` if the task ends before.

        An outcome is kept for `KEPT`, so that a task cannot sleep until it expires.
        """

        def wakes_at() -> str:
            now = self.tasks.now()
            if duration > self.task.expires_at - KEPT - now:
                raise ToolError(
                    f"The task cannot sleep for {duration}: it is kept for {self.task.ttl} after its creation. "
                    "Its tool needs a longer ttl."
                )
            return (now + duration).isoformat()

        wakes = datetime.fromisoformat(step(wakes_at))
        if self.tasks.now() < wakes:
            raise Sleeping(wakes)

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """Sleep, unless the run would have to end before; raises `TaskCancelled` if the task ended meanwhile."""
        if self.tasks.now() + delay >= self._ends_at:
            return False
        self.tasks.sleep(delay)
        with _control_signals():
            self._check_still_wanted()
        return True

    def updated(self, uri: str) -> None:
        """Publish that a resource changed, to all callers of the task's tenant."""
        with _control_signals():
            self.tasks.publish(self.owner_key, uri)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return the responses to these input requests, or end the run until they are in."""
        with _control_signals():
            self._check_still_wanted()
            found = {each.key: self.tasks.response(self.owner_key, self.task.id, each.key) for each in input_requests}
        self._replay_log.responses |= {key: response for key, response in found.items() if response is not None}
        return self._replay_log.request_input(input_requests)

    def _write(self, report: Progressed | StatusReported) -> None:
        try:
            self.task = self.tasks.apply(self.owner_key, self.task.id, report)
        except StaleTask:
            extra = {"task": self.task.id, "fallback": "report_left_out"}
            logger.info("a report is left out, the next one will do", extra=extra)

    def _check_still_wanted(self) -> None:
        if is_final(self.tasks.read(self.owner_key, self.task.id)):
            raise TaskCancelled


@contextmanager
def _control_signals() -> Iterator[None]:
    """Turn errors into control signals: `TaskCancelled` if the task has ended, `Interrupted` for all others."""
    try:
        yield
    except (IllegalTransition, TaskNotFound) as error:
        raise TaskCancelled from error
    except Exception as error:
        raise Interrupted from error
