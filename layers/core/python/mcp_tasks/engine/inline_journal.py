"""The journal of a run within a request: nothing is stored, and what the run reports is sent with the response."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mcp_tasks.authoring.control_signals import ContinueAsTask
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import LEVELS, Level
from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.limits.tools import MAX_NOTIFICATIONS
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress


class LogMessage(NamedTuple):
    """What a run logged, as JSON."""

    level: Level
    data: JSON
    logger: str | None


@dataclass(slots=True, kw_only=True)
class InlineJournal:
    """Collects what a run reports, for the response to send before the result; see `Journal`.

    `token` is the client's progress token, without which no progress is kept, `threshold` the lowest level that it
    wants to read, `replay_log` what earlier runs of the same call left, and `publish` says that a resource changed.
    Where it `may_become_task`, the run ends at `continue_as_task`.
    """

    token: str | int | None = None
    threshold: str | None = None
    client_capabilities: frozenset[str] = frozenset()
    replay_log: ReplayLog[Mapping[str, JSON]] = field(default_factory=ReplayLog)
    publish: Callable[[str], None] = lambda uri: None
    may_become_task: bool = False
    reported: deque[Progress | LogMessage] = field(default_factory=lambda: deque(maxlen=MAX_NOTIFICATIONS), init=False)
    reached: Progress | None = field(default=None, init=False)
    status_message: str | None = field(default=None, init=False)

    def progressed(self, progress: Progress) -> None:
        """Tell rising progress."""
        if self.token is None or (self.reached is not None and progress.progress <= self.reached.progress):
            return
        self.reached = progress
        self.reported.append(progress)

    def status_reported(self, status_message: str) -> None:
        """Keep the words for the task that the call may become: a request has no status that could be told."""
        self.status_message = status_message

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Tell what is urgent enough."""
        if self.threshold is not None and LEVELS.index(level) >= LEVELS.index(self.threshold):
            self.reported.append(LogMessage(level, _written(data), logger))

    def continue_as_task(self) -> None:
        """End the run where the call may become a task; anywhere else, the run answers the call itself."""
        if self.may_become_task:
            raise ContinueAsTask

    def updated(self, uri: str) -> None:
        """Tell those who watch the address."""
        self.publish(uri)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what an earlier round recorded, or run the step."""
        return self.replay_log.step(name, run)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return what earlier runs were answered, or end this one."""
        # A task takes the responses as they are here, and checks them no more.
        if self.may_become_task or any(
            input_request.key not in self.replay_log.responses for input_request in input_requests
        ):
            # What was answered is not asked again, and a client that is told so late could never put it right.
            self.check(input_requests)
        return [InputResponse(result=answer) for answer in self.replay_log.request_input(input_requests)]

    def check(self, input_requests: Sequence[InputRequest]) -> None:
        """Refuse answers that do not fit, of those that there are; raises `BadInputResponse`."""
        # Saves 7 ms of every cold start: few calls are asked anything.
        from mcp_tasks.authoring.input_responses import check

        for input_request in input_requests:
            if input_request.key in self.replay_log.responses:
                check(input_request, self.replay_log.responses[input_request.key])

    def initial_state(self, input_requests: Sequence[InputRequest] = ()) -> InitialState:
        """Return how far the run came, for a task that goes on from there and has these input requests open."""
        requested, responses = self.replay_log.requested_so_far, self.replay_log.responses
        return InitialState(
            requested=requested,
            input_requests=tuple(input_requests),
            steps=self.replay_log.steps,
            responses={key: InputResponse(result=responses[key]) for key in requested if key in responses},
            progress=self.reached,
            status_message=self.status_message,
        )


def _written(data: object) -> JSON:
    """Return the data as JSON, and what JSON cannot say as text: no log message is worth a tool's answer."""
    try:
        return json.loads(json.dumps(data, default=str), parse_constant=str)
    except (TypeError, ValueError, RecursionError):
        # Keys that are no text, or a value that holds itself.
        return repr(data)
