"""Reads what a server replies: JSON, or a stream of server-sent events."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_tasks.wire.http import HttpReply


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One server-sent event; `data` is the empty text where nothing is said."""

    id: str | None = None
    retry: int | None = None
    data: str | None = None

    @property
    def message(self) -> Any:
        """The JSON-RPC message that the event carries, if it carries one."""
        return json.loads(self.data) if self.data else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply, read."""

    status: int
    headers: Mapping[str, str]
    body: str
    events: list[Event] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)

    @property
    def streamed(self) -> bool:
        """Whether the reply is a stream of server-sent events."""
        return self.headers.get("content-type") == "text/event-stream"

    @property
    def message(self) -> Any:
        """The only message."""
        (message,) = self.messages
        return message

    @property
    def answer(self) -> Any:
        """The only message that answers something."""
        (answer,) = (message for message in self.messages if "method" not in message)
        return answer

    @property
    def input_requests(self) -> list[Any]:
        """Return the requests of the server."""
        return [message for message in self.messages if "method" in message and "id" in message]

    @property
    def error(self) -> Any:
        """The error in the only message."""
        return self.message["error"]

    @property
    def place(self) -> str:
        """Where to resume: the last event id of the stream."""
        return [event.id for event in self.events if event.id is not None][-1]

    def notes(self, method: str) -> list[Any]:
        """Return the params of all notifications of that name."""
        return [message["params"] for message in self.messages if message.get("method") == method]


def read(reply: HttpReply) -> Reply:
    """Read a reply, which says of what kind it is unless it is empty."""
    kind = reply.headers.get("content-type")
    assert reply.status != 202 or (reply.body == "" and kind is None)
    assert reply.body == "" or kind in ("application/json", "text/event-stream")
    events = parse_events(reply.body) if kind == "text/event-stream" else []
    messages = [event.message for event in events if event.data]
    if kind == "application/json":
        messages = [json.loads(reply.body)]
    return Reply(status=reply.status, headers=reply.headers, body=reply.body, events=events, messages=messages)


def parse_events(body: str) -> list[Event]:
    """Read a stream as the HTML standard says."""
    assert body == "" or body.endswith("\n\n"), "the last event is not complete, and so never happens"
    return [_parse_event(block) for block in body.split("\n\n")[:-1]]


def key_of(id: Any) -> str:
    """Return what tells one id from another: 7 and "7" are two ids, 7 and 7.0 are one."""
    return json.dumps(int(id) if isinstance(id, float) else id)


def _parse_event(block: str) -> Event:
    fields: dict[str, str] = {}
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        assert name in ("id", "retry", "data"), f"clients know no field {name}"
        assert name not in fields, "one line each"
        fields[name] = value.removeprefix(" ")
    retry = int(fields["retry"]) if "retry" in fields else None
    return Event(id=fields.get("id"), retry=retry, data=fields.get("data"))
