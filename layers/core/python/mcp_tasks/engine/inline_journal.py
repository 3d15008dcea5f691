"""The journal of a run within a request: it stores nothing, and what the run reports is sent with the response."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from mcp_tasks.authoring.control_signals import ContinueAsTask
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import LEVELS, Level
from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.limits.tools import MAX_NOTIFICATIONS
from mcp_tasks.limits.waits import LONGEST_INLINE_BACKOFF
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class LogMessage(NamedTuple):
    """A log message of a run, for `notifications/message`."""

    level: Level
    data: JSON
    logger: str | None


@dataclass(slots=True, kw_only=True)
class InlineJournal:
    """Implements `Journal` for one request, and collects the notifications that its response sends before the result.

    Without the client's `progress_token` no progress is kept; `threshold` is the lowest level of log messages that the
    client wants.  `replay_log` holds the steps and responses of earlier runs of the same call, `publish` publishes that
    a resource changed, `pause` blocks until a time has passed, and where the call `may_become_task`, the run ends at
    `continue_as_task`.
    """

    progress_token: str | int | None = None
    threshold: str | None = None
    client_capabilities: frozenset[str] = frozenset()
    replay_log: ReplayLog[Mapping[str, JSON]] = field(default_factory=ReplayLog)
    publish: Callable[[str], None] = lambda uri: None
    pause: Callable[[timedelta], None] = lambda duration: None
    may_become_task: bool = False
    reported: deque[Progress | LogMessage] = field(default_factory=lambda: deque(maxlen=MAX_NOTIFICATIONS), init=False)
    last_progress: Progress | None = field(default=None, init=False)
    status_message: str | None = field(default=None, init=False)
    _waited: timedelta = field(default=timedelta(), init=False)

    def progressed(self, progress: Progress) -> None:
        """Keep a notification of progress that is higher than before."""
        if self.progress_token is None or (
            self.last_progress is not None and progress.progress <= self.last_progress.progress
        ):
            return
        self.last_progress = progress
        self.reported.append(progress)

    def status_reported(self, status_message: str) -> None:
        """Keep the status message for the task that the call may become; a request has none."""
        self.status_message = status_message

    def expected(self, duration: timedelta) -> None:
        """Do nothing: what runs within a request is over soon, or becomes a task that says it again."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Keep a log message of the client's level or above."""
        if self.threshold is not None and LEVELS.index(level) >= LEVELS.index(self.threshold):
            self.reported.append(LogMessage(level, _written(data), logger))

    def continue_as_task(self) -> None:
        """End the run where the call may become a task; anywhere else, the run answers the call itself."""
        if self.may_become_task:
            raise ContinueAsTask

    def updated(self, uri: str) -> None:
        """Publish that a resource changed."""
        self.publish(uri)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return the result that an earlier run recorded, or run the step."""
        return self.replay_log.step(name, run)

    def patched(self, name: str) -> bool:
        """Return whether the call takes the new path, by what its earlier runs recorded."""
        return self.replay_log.patched(name)

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """End the run where the call may become a task, which then sleeps; raises `RuntimeError` where it may not."""
        self.continue_as_task()
        raise RuntimeError("only a task can sleep, and this call cannot become one: the tool needs tasks='allowed'")

    def tenant_credentials(self) -> Credentials:
        """End the run where the call may become a task, which gets them; raises `RuntimeError` where it may not."""
        self.continue_as_task()
        raise RuntimeError(
            "only a task has credentials of its tenant, and this call cannot become one: the tool needs tasks='allowed'"
        )

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """End the run where the call may become a task, which then retries; elsewhere pause, within limits."""
        self.continue_as_task()
        self._waited += delay
        if self._waited > LONGEST_INLINE_BACKOFF:
            return False
        self.pause(delay)
        return True

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return the responses to these input requests, or end the run until they are in.

        Where others are to answer one, the call becomes a task; raises `RuntimeError` where it may not.
        """
        if any(each.approval for each in input_requests):
            self.continue_as_task()
            raise RuntimeError(
                "only a task can wait for others, and this call cannot become one: the tool needs tasks='allowed'"
            )
        # A task takes the responses from here and does not check them again.
        if self.may_become_task or any(
            input_request.key not in self.replay_log.responses for input_request in input_requests
        ):
            # Only now can the client still be asked again: a request with a response is not sent another time.
            self.check(input_requests)
        return [InputResponse(result=answer) for answer in self.replay_log.request_input(input_requests)]

    def check(self, input_requests: Sequence[InputRequest]) -> None:
        """Raise `BadInputResponse` if one of the responses so far does not fit its input request."""
        # Saves 7 ms of every cold start: few calls need input.
        from mcp_tasks.authoring.input_responses import check

        for input_request in input_requests:
            if input_request.key in self.replay_log.responses:
                check(input_request, self.replay_log.responses[input_request.key])

    def initial_state(self, input_requests: Sequence[InputRequest] = ()) -> InitialState:
        """Return what the run did so far, for a task that goes on from there with these input requests open."""
        requested, responses = self.replay_log.requested_so_far, self.replay_log.responses
        return InitialState(
            requested=requested,
            input_requests=tuple(input_requests),
            steps=self.replay_log.steps,
            responses={key: InputResponse(result=responses[key]) for key in requested if key in responses},
            progress=self.last_progress,
            status_message=self.status_message,
        )


def _written(data: object) -> JSON:
    """Return the data as JSON, or as text where it is none: a log message must not make its tool fail."""
    try:
        return json.loads(json.dumps(data, default=str), parse_constant=str)
    except (TypeError, ValueError, RecursionError):
        # Keys that are not strings, or a value that contains itself.
        return repr(data)
