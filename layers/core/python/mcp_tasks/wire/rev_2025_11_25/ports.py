"""The port of this revision: the store of sessions, their subscriptions, response streams and deliveries."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON


@record
class Session:
    """What a client and the server agreed on in `initialize`, and the log level that the client set since.

    Until `silent_until`, the client is sent no request and no notification but log messages: it has not sent
    `notifications/initialized` yet.
    """

    id: str
    version: str
    capabilities: Mapping[str, JSON]
    expires_at: datetime
    log_level: str | None = None
    silent_until: datetime | None = None


@record
class Stream:
    """What is kept of the stream that answers one request.

    `task_id` is the task that runs a plain call, and is cancelled with it; `cancelled` says that the client sent
    `notifications/cancelled` for the request.
    """

    task_id: str | None = None
    cancelled: bool = False


@record
class Attempt:
    """One attempt to deliver an input request to the client of a session: a JSON-RPC request on one stream.

    `number` counts from 1.  An attempt without a `stream` is made on the stream that claims it first, `not_before` a
    time if one is given.  `rejected` counts the responses that were not valid, `last_error` says what was wrong with
    the last one.  `kind` and `client_task` are for a client that runs the input request as a task of its own: which
    request of `requestor.RequestKind` the attempt makes, and the id of that task.
    """

    number: int = 1
    stream: str | None = None
    request_id: str | None = None
    not_before: datetime | None = None
    rejected: int = 0
    last_error: str | None = None
    kind: str | None = None
    client_task: str | None = None


class SessionStore(Protocol):
    """Keeps the sessions of each caller; every method takes the caller's owner key, and finds nothing of another's."""

    def save(self, owner_key: str, session: Session) -> None:
        """Create a session."""

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session, or None if it ended, expired or is another caller's."""

    def prolong(self, owner_key: str, session_id: str, until: datetime) -> bool:
        """Have the session expire at a later time; returns False, and creates none, if it ended."""

    def set_initialized(self, owner_key: str, session_id: str) -> None:
        """Keep that the session is silent no longer; without effect if it ended."""

    def set_log_level(self, owner_key: str, session_id: str, level: str) -> None:
        """Keep the session's log level; without effect if it ended."""

    def end(self, owner_key: str, session_id: str) -> None:
        """Delete the session; harmless when repeated."""

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe a session to a URI, of which it knows this version, until a time."""

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """End a subscription; harmless when repeated."""

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the URIs that a session is subscribed to, each with the last version that it was notified of."""

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim the notification of a version; True once for each version of a subscription, in rising order."""

    def attach_task(self, owner_key: str, name: str, task_id: str | None, until: datetime) -> None:
        """Keep which task runs the request of a stream, None if none does, until a time; a cancellation stays kept."""

    def cancel_stream(self, owner_key: str, name: str, until: datetime) -> None:
        """Keep that the request of a stream was cancelled, until a time; the task that runs it stays kept."""

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is kept of the stream of this name, or None."""

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep an attempt of the delivery of this name until a time; returns whether it was kept.

        It is kept if its number is the next one and the time is still to come: otherwise a process that read its task
        just before both expired would make the first attempt again, the same request on another stream.
        """

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return the last attempt of the delivery of this name, or None."""
