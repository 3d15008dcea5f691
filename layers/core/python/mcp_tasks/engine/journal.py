"""The journal of a run that belongs to a task: its host writes, and says when the task has ended."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.authoring.control_signals import InputNeeded, Interrupted, Sleeping, TaskCancelled
from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.authoring.replay_log import ReplayLog, as_json
from mcp_tasks.authoring.text import Level
from mcp_tasks.limits.tools import MAX_STEP_CHARACTERS
from mcp_tasks.limits.waits import BETWEEN_REPORTS, BETWEEN_REPORTS_UNAVAILABLE, KEPT, LONGEST_RUN, MIN_SURPRISE
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.run_host import LoadedRun, RunHost, RunNotWanted
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress

logger = logging.getLogger(__name__)

NOTHING_GRANTED = (
    "this server grants its tools nothing that is their tenant's own: add `run_tool.per_tenant.allow(...)` to "
    "infra/tool_access.py, and in `make serve` see that AWS's credentials are found"
)


@dataclass(slots=True)
class _Expected:
    """The expected end of the work: what the tool declared last, and what of it was written."""

    _write: Callable[[datetime], None]
    end: datetime | None = None
    _written: datetime | None = None
    _written_at: datetime | None = None
    _surprised: bool = False

    def write(self, now: datetime) -> None:
        """Write the expected end if it is new, unless it follows the one before soon and differs little from it."""
        if self.end is not None and self.end != self._written and self._is_due(self.end, now):
            # A loop whose guesses swing surprises at each turn: of them the first is written, too.
            self._surprised = not self._is_over(now)
            self._written, self._written_at = self.end, now
            self._write(self.end)

    def _is_due(self, end: datetime, now: datetime) -> bool:
        if self._written is None or self._is_over(now):
            return True
        left = max(self._written - now, BETWEEN_REPORTS)
        return not self._surprised and abs(end - self._written) >= left * MIN_SURPRISE

    def _is_over(self, now: datetime) -> bool:
        return self._written_at is None or now - self._written_at >= BETWEEN_REPORTS


@dataclass(slots=True, kw_only=True)
class TaskJournal:
    """Implements `Journal` with the host of the run; every method raises `Interrupted` where that fails.

    Reports of a run whose host is unavailable are left out instead.  All times are the host's: what the run stores is
    read by processes with other clocks.
    """

    host: RunHost
    run: LoadedRun
    clock: Clock
    _reported_at: datetime | None = field(default=None, init=False)
    _unwritten: Progress | None = field(default=None, init=False)
    _expected: _Expected = field(init=False)
    _replay_log: ReplayLog[InputResponse] = field(init=False)
    _ahead: timedelta = field(init=False)
    _ends_at: datetime = field(init=False)
    _credentials: Credentials | None = field(default=None, init=False, repr=False)
    _reached: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        """Replay the input requests that earlier runs of the task made."""
        self._replay_log = ReplayLog(requested=list(self.run.requested), responses=dict(self.run.responses))
        self._expected = _Expected(self.host.expected)
        self._ahead = self.run.ends_at(self.clock.now()) - self.run.due_at
        self._ends_at = min(self.run.due_at, self._now() + LONGEST_RUN)

    def _now(self) -> datetime:
        """Return the time by the host's clock, from which that of the run may differ."""
        return self.clock.now() - self._ahead

    def progressed(self, progress: Progress) -> None:
        """Write progress, at most one report in `BETWEEN_REPORTS`.

        The last one that is not written is kept until the run waits, which may be for days.
        """
        self._write_expected()
        now = self._now()
        if self._reported_at is not None and now - self._reported_at < BETWEEN_REPORTS:
            self._unwritten = progress
            return
        self._reported_at, self._unwritten = now, progress
        self._write_progress()

    def _write_progress(self) -> None:
        if self._unwritten is not None:
            with self._left_out_if_unavailable():
                self.host.progressed(self._unwritten)
                self._unwritten = None

    def status_reported(self, status_message: str) -> None:
        """Write the status message."""
        self._write_expected()
        with self._left_out_if_unavailable():
            self.host.status_reported(status_message)

    def expected(self, duration: timedelta) -> None:
        """Write the expected end of the work, at most once in `BETWEEN_REPORTS` unless it changes by much.

        One that is not written is kept, and written before the run's next report or step.
        """
        self._expected.end = self._now() + min(duration, self.run.ttl)
        self._write_expected()

    def _write_expected(self) -> None:
        with self._left_out_if_unavailable():
            self._expected.write(self._now())

    def continue_as_task(self) -> None:
        """Return at once: the run belongs to a task already."""

    @property
    def client_capabilities(self) -> frozenset[str]:
        """Return the capabilities of the client that created the task."""
        return self.run.client_capabilities

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Drop the log message: no request of the client is open on which it could be sent."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return the recorded result of the step, or run it and record its result."""
        self._write_expected()
        recorded = self._recall(name)
        if recorded is not None:
            return recorded[0]
        value = as_json(run(), name)
        if (size := len(json.dumps(value))) > MAX_STEP_CHARACTERS:
            raise ValueError(
                f"step {name} returned {size:,} characters of JSON, and {MAX_STEP_CHARACTERS:,} is the most: "
                "store them elsewhere, and return where"
            )
        return self._record(name, value)

    def patched(self, name: str) -> bool:
        """Return what is recorded, or record True where this run has come to all that earlier runs recorded."""
        if recorded := self._recall(name):
            return bool(recorded[0])
        if self._replay_log.asks_again or self.run.steps.keys() - self._reached:
            return False
        with _control_signals():
            # A run is not given all that is recorded when it begins.
            is_past = self.host.count_steps() > len(self._reached)
        return not is_past and bool(self._record(name, True))

    def _recall(self, name: str) -> tuple[JSON] | None:
        if (key := hashed(name)) in self.run.steps:
            self._reached.add(key)
            # The tool may change what it is given.
            return (deepcopy(self.run.steps[key]),)
        with _control_signals():
            recorded = self.host.recall(name)
        if recorded is not None:
            self._reached.add(key)
        return recorded

    def _record(self, name: str, value: JSON) -> JSON:
        with _control_signals():
            recorded = self.host.record(name, value)
        self._reached.add(hashed(name))
        return recorded

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """End the run until the time is over that the first run recorded; raises `ToolError` if the task ends before.

        An outcome is kept for `KEPT`, so that a task cannot sleep until it expires.
        """

        def wakes_at() -> str:
            now = self._now()
            if duration > self.run.expires_at - KEPT - now:
                raise ToolError(
                    f"The task cannot sleep for {duration}: it is kept for {self.run.ttl} after its creation. "
                    "Its tool needs a longer ttl."
                )
            return (now + duration).isoformat()

        wakes = datetime.fromisoformat(step(wakes_at))
        if self._now() < wakes:
            self._write_progress()
            raise Sleeping(wakes)

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """Sleep, unless the run would have to end before; raises `TaskCancelled` if the task ended meanwhile."""
        if self._now() + delay >= self._ends_at:
            return False
        self.clock.sleep(delay)
        with self._left_out_if_unavailable():
            self.host.check()
        return True

    @contextmanager
    def _left_out_if_unavailable(self) -> Iterator[None]:
        """Go on without a report, or a check, for which the host is unavailable: no work is repeated for it."""
        with _control_signals():
            try:
                yield
            except Unavailable:
                self._reported_at = self._now() + BETWEEN_REPORTS_UNAVAILABLE
                message = "the host is unavailable: a report is left out, the next one will do"
                logger.warning(message, extra={"task": self.run.task_id, "fallback": "report_left_out"})

    def tenant_credentials(self) -> Credentials:
        """Return the credentials that the host gives, the same for all of the run, which they outlast."""
        if self._credentials is None:
            with _control_signals():
                self._credentials = self.host.tenant_credentials()
        if self._credentials is None:
            raise RuntimeError(NOTHING_GRANTED)
        return self._credentials

    def updated(self, uri: str) -> None:
        """Publish that a resource changed, to all callers of the task's tenant."""
        with _control_signals():
            self.host.published(uri)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return the responses to these input requests, or end the run until they are in."""
        for key in {each.key for each in input_requests} & set(self.run.requested) - set(self._replay_log.responses):
            with _control_signals():
                response = self.host.response(key)
            if response is not None:
                self._replay_log.responses[key] = response
        try:
            return self._replay_log.request_input(input_requests)
        except InputNeeded:
            self._write_progress()
            raise


@contextmanager
def _control_signals() -> Iterator[None]:
    """Turn errors into control signals: `TaskCancelled` if the run is not wanted any more, `Interrupted` for others."""
    try:
        yield
    except RunNotWanted as error:
        raise TaskCancelled from error
    except Exception as error:
        raise Interrupted from error
