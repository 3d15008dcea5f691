"""A run whose caller waits for it on the same connection: what it tells, and what it can be told."""

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_tasks.authoring.replay_log import Script
from mcp_tasks.authoring.text import LEVELS, Level
from mcp_tasks.engine.lifecycle import Begun
from mcp_tasks.tasks.model import JSON, Progress, Question, Reply
from mcp_tasks.wire import notifications
from mcp_tasks.wire.jsonrpc import RequestId

MOST_TOLD = 100
"""All of it arrives at once, together with the answer, so only the last of it means anything."""


@dataclass(slots=True, kw_only=True)
class InlineJournal:
    """Collects what is told for the stream that carries the answer; see `Journal`.

    `token` is the client's name for the request where it wants to hear of progress, `threshold` the level from which
    on it wants log messages, `script` what earlier rounds of the same call left, and `post` tells those who watch an
    address that what is there changed.
    """

    token: RequestId | None = None
    threshold: str | None = None
    abilities: frozenset[str] = frozenset()
    script: Script[Mapping[str, JSON]] = field(default_factory=Script)
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
        return self.script.step(name, run)

    def ask(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Return what earlier rounds brought, or end this one."""
        if any(question.key not in self.script.answers for question in questions):
            # What was answered is not asked again, and a client that is told so late could never put it right.
            self.check(questions)
        return [Reply(result=answer) for answer in self.script.ask(questions)]

    def check(self, questions: Sequence[Question]) -> None:
        """Refuse answers that do not fit, of those that there are; raises `BadAnswer`."""
        # Saves 7 ms of every cold start: few calls are asked anything.
        from mcp_tasks.authoring.input_responses import check

        for question in questions:
            if question.key in self.script.answers:
                check(question, self.script.answers[question.key])

    def begun(self, questions: Sequence[Question] = ()) -> Begun:
        """Return how far the run came, for a task that goes on from there and has these questions open."""
        asked, answers = self.script.asked_so_far, self.script.answers
        return Begun(
            asked=asked,
            questions=tuple(questions),
            steps=self.script.steps,
            replies={key: Reply(result=answers[key]) for key in asked if key in answers},
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
