"""What a tool tells while its caller waits for it on the same connection."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcp_tasks.tasks.model import JSON, Progress
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2025_11_25 import render

MOST_TOLD = 100
"""All of it arrives at once, together with the answer, so only the last of it means anything."""


@dataclass(slots=True, kw_only=True)
class InlineJournal:
    """Collects progress for the stream that carries the answer, if the client sent a token for it."""

    token: RequestId | None
    told: deque[Mapping[str, JSON]] = field(default_factory=lambda: deque(maxlen=MOST_TOLD), init=False)
    _reached: float | None = field(default=None, init=False)

    def progressed(self, progress: Progress) -> None:
        """Tell rising progress."""
        if self.token is None or (self._reached is not None and progress.progress <= self._reached):
            return
        self._reached = progress.progress
        self.told.append(render.progress(self.token, progress))

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Run the step: without a task there is no second run to remember it for."""
        return run()
