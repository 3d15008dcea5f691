"""Server-sent events: a reply that is a stream, written in one go.

To a client a body that arrives at once is a short stream, so a gateway that buffers does no harm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpReply, written
from mcp_tasks.wire.units import milliseconds

KIND: Final = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event; without a message it only tells the client where to resume, and after how long."""

    id: str | None = None
    retry: timedelta | None = None
    message: Mapping[str, JSON] | None = None

    def __str__(self) -> str:
        """Write the event as it travels, with the blank line that ends it."""
        lines = []
        if self.id is not None:
            lines.append(f"id: {self.id}")
        if self.retry is not None:
            lines.append(f"retry: {milliseconds(self.retry)}")
        data = written(self.message) if self.message is not None else ""
        return "\n".join([*lines, f"data: {data}", "", ""])


def sse_reply(events: Iterable[Event], *, headers: Mapping[str, str] | None = None) -> HttpReply:
    """Answer with a stream of these events."""
    return stream_reply("".join(map(str, events)), headers=headers)


def stream_reply(body: str, *, headers: Mapping[str, str] | None = None) -> HttpReply:
    """Answer with a stream of events that are written already."""
    fixed = {"content-type": KIND, "cache-control": "no-store"}
    return HttpReply(status=200, headers={**fixed, **(headers or {})}, body=body)
