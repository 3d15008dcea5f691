"""What this revision needs from the outside: a store of sessions, their streams and the deliveries on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a client and the server agreed on, for revisions that shake hands."""

    id: str
    version: str
    capabilities: Mapping[str, JSON]
    expires_at: datetime
    log_level: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What is remembered of a stream that answers one request.

    `task_id` is the task behind a call that is no task to its client; `cancelled` says that the client waits no more.
    """

    task_id: str | None = None
    cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The delivery of an input request to one client: the JSON-RPC request that carries it, and on which stream.

    `attempt` counts the requests that did; without a stream the next one that comes along takes the input request, but
    not before `not_before`.  `rejected` counts the answers that did not fit, `last_error` says why the last one did
    not.  Where a request is more than the input request, `step` says what it is, and `client_task` which of the
    client's own tasks it is about.
    """

    attempt: int = 1
    stream: str | None = None
    request_id: str | None = None
    not_before: datetime | None = None
    rejected: int = 0
    last_error: str | None = None
    step: str | None = None
    client_task: str | None = None


class SessionStore(Protocol):
    """The sessions of each caller, what they watch, and what travels on which of their streams."""

    def save(self, owner_key: str, session: Session) -> None:
        """Keep the session, new or changed."""

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session unless it ended, expired or is somebody else's."""

    def end(self, owner_key: str, session_id: str) -> None:
        """Forget the session."""

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Let a session hear of what is newer than this version of an address."""

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """Let a session hear no more of an address; harmless when repeated."""

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return what a session wants to hear of, and the last version that it was told of each."""

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Tell whether this version may be told: True once for each version of a subscription, in rising order."""

    def save_stream(self, owner_key: str, name: str, stream: Stream, until: datetime) -> None:
        """Keep what is to be remembered of a stream, new or changed."""

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is remembered of a stream, if anything is."""

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep the delivery if its attempt comes next; tells whether it did."""

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return what is remembered of a delivery, if anything is."""
