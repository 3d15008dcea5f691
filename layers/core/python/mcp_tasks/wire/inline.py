"""A run whose caller waits for it on the same connection: what it tells, and what it can be told."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import LEVELS, Level
from mcp_tasks.engine.lifecycle import Begun
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Progress
from mcp_tasks.wire import notifications
from mcp_tasks.wire.jsonrpc import RequestId

MOST_TOLD = 100
"""All of it arrives at once, together with the answer, so only the last of it means anything."""


@dataclass(slots=True, kw_only=True)
class InlineJournal:
    """Collects what is told for the stream that carries the answer; see `Journal`.

    `token` is the client's name for the request where it wants to hear of progress, `threshold` the level from which on
    it wants log messages, `replay_log` what earlier rounds of the same call left, and `post` tells those who watch an
    address that what is there changed.
    """

    token: RequestId | None = None
    threshold: str | None = None
    client_capabilities: frozenset[str] = frozenset()
    replay_log: ReplayLog[Mapping[str, JSON]] = field(default_factory=ReplayLog)
    post: Callable[[str], None] = lambda uri: None
    told: deque[Mapping[str, JSON]] = field(default_factory=lambda: deque(maxlen=MOST_TOLD), init=False)
    reached: Progress | None = field(default=None, init=False)
    note: str | None = field(default=None, init=False)

    def progressed(self, progress: Progress) -> None:
        """Tell rising progress."""
        if self.token is None or (self.reached is not None and progress.progress <= self.reached.progress):
            return
        self.reached = progress
        self.told.append(notifications.progress(self.token, progress))

    def noted(self, note: str) -> None:
        """Keep the words for the task that the call may become: a request has no status that could be told."""
        self.note = note

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Tell what is urgent enough."""
        if self.threshold is not None and LEVELS.index(level) >= LEVELS.index(self.threshold):
            self.told.append(notifications.log_message(level, _written(data), logger))

    def continue_as_task(self) -> None:
        """Go on: this call is answered by its own run; see `Journal`."""

    def updated(self, uri: str) -> None:
        """Tell those who watch the address."""
        self.post(uri)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what an earlier round recorded, or run the step."""
        return self.replay_log.step(name, run)

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return what earlier rounds brought, or end this one."""
        if any(input_request.key not in self.replay_log.responses for input_request in input_requests):
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

    def begun(self, input_requests: Sequence[InputRequest] = ()) -> Begun:
        """Return how far the run came, for a task that goes on from there and has these input requests open."""
        asked, responses = self.replay_log.requested_so_far, self.replay_log.responses
        return Begun(
            requested=asked,
            input_requests=tuple(input_requests),
            steps=self.replay_log.steps,
            responses={key: InputResponse(result=responses[key]) for key in asked if key in responses},
            progress=self.reached,
            note=self.note,
        )


def _written(data: object) -> JSON:
    """Return the data as JSON, and what JSON cannot say as text: no log message is worth a tool's answer."""
    try:
        return json.loads(json.dumps(data, default=str), parse_constant=str)
    except (TypeError, ValueError, RecursionError):
        # Keys that are no text, or a value that holds itself.
        return repr(data)
