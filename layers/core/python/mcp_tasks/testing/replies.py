"""Parses HTTP responses of the server: JSON, or a stream of server-sent events."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks.wire.http import HttpReply


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One server-sent event; `data` is empty in the event that opens a stream."""

    id: str | None = None
    retry: int | None = None
    data: str | None = None

    @property
    def message(self) -> Any:
        """The JSON-RPC message that the event carries, if it carries one."""
        return json.loads(self.data) if self.data else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP response with its parsed events and JSON-RPC messages."""

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
        """The message of a response that has exactly one."""
        (message,) = self.messages
        return message

    @property
    def response(self) -> Any:
        """The JSON-RPC response, of which there is exactly one."""
        (response,) = (message for message in self.messages if "method" not in message)
        return response

    @property
    def input_requests(self) -> list[Any]:
        """The requests that the server sends to the client."""
        return [message for message in self.messages if "method" in message and "id" in message]

    @property
    def error(self) -> Any:
        """The error of a response that has exactly one message."""
        return self.message["error"]

    @property
    def retry(self) -> timedelta:
        """After how long the stream is to be resumed: as the last of its events that says so."""
        return timedelta(milliseconds=next((each.retry for each in reversed(self.events) if each.retry is not None), 0))

    @property
    def last_event_id(self) -> str:
        """The last event id of the stream, by which it can be resumed."""
        return [event.id for event in self.events if event.id is not None][-1]

    def notifications(self, method: str) -> list[Any]:
        """Return the params of all notifications of a method."""
        return [message["params"] for message in self.messages if message.get("method") == method]


def read(reply: HttpReply) -> Reply:
    """Parse a response, and assert that its content type fits its body."""
    kind = reply.headers.get("content-type")
    assert reply.status != 202 or (reply.body == "" and kind is None)
    assert reply.body == "" or kind in ("application/json", "text/event-stream")
    events = parse_events(reply.body) if kind == "text/event-stream" else []
    messages = [event.message for event in events if event.data]
    if kind == "application/json":
        messages = [json.loads(reply.body)]
    return Reply(status=reply.status, headers=reply.headers, body=reply.body, events=events, messages=messages)


def parse_events(body: str) -> list[Event]:
    """Parse a stream of events as the HTML standard says."""
    assert body == "" or body.endswith("\n\n"), "the last event is not complete, and so never happens"
    return [_parse_event(block) for block in body.split("\n\n")[:-1]]


def key_of(id: Any) -> str:
    """Return a key for a JSON-RPC id: 7 and "7" are different ids, 7 and 7.0 are the same."""
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
