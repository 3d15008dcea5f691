"""Server-sent events: a whole stream as one reply.

A client reads a body that arrives at once as a short stream, so a gateway that buffers does no harm.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpReply, written
from mcp_tasks.wire.units import milliseconds

KIND: Final = "text/event-stream"


@record
class Event:
    """One event; without a message it gives the client an id to resume from and the delay before it reconnects."""

    id: str | None = None
    retry: timedelta | None = None
    message: Mapping[str, JSON] | None = None

    def __str__(self) -> str:
        """Return the event in the stream's format, with the blank line that ends it."""
        lines = []
        if self.id is not None:
            lines.append(f"id: {self.id}")
        if self.retry is not None:
            lines.append(f"retry: {milliseconds(self.retry)}")
        data = written(self.message) if self.message is not None else ""
        return "\n".join([*lines, f"data: {data}", "", ""])


def sse_reply(events: Iterable[Event], *, headers: Mapping[str, str] | None = None) -> HttpReply:
    """Return a reply whose body is a stream of these events."""
    return stream_reply("".join(map(str, events)), headers=headers)


def stream_reply(body: str, *, headers: Mapping[str, str] | None = None) -> HttpReply:
    """Return a reply whose body is a stream that is serialized already."""
    fixed = {"content-type": KIND, "cache-control": "no-store"}
    return HttpReply(status=200, headers={**fixed, **(headers or {})}, body=body)
