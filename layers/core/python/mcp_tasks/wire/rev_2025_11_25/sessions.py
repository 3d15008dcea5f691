"""Sessions of callers, and what is kept of the requests in them: response streams, and deliveries of input requests.

A session belongs to the caller who opened it, and authenticates nobody; tasks outlive it.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import datetime

from mcp_tasks.limits.waits import SESSION_FRESH, SESSION_LIFETIME, UNINITIALIZED
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, SessionStore
from mcp_tasks.wire.rev_2025_11_25.recent_sessions import RecentSessions

# `Attempt` and `Session`, too: the wire uses sessions, and never the port.
__all__ = ["Attempt", "Session", "Sessions", "stream_name"]


@record
class Sessions:
    """Opens, finds and ends sessions, and keeps what happens to the requests in them."""

    store: SessionStore
    now: Callable[[], datetime]
    recent: RecentSessions = field(default_factory=RecentSessions)

    def open(self, caller: Caller, version: str, capabilities: Mapping[str, JSON]) -> Session:
        """Return a new session of a caller, under an id that nobody can guess."""
        session = Session(
            id=secrets.token_urlsafe(32),
            version=version,
            capabilities=capabilities,
            expires_at=self.now() + SESSION_LIFETIME,
            silent_until=self.now() + UNINITIALIZED,
        )
        self.store.save(caller.owner_key, session)
        return session

    def set_initialized(self, caller: Caller, session: Session) -> None:
        """Keep that the client is ready for requests and notifications of the server."""
        if session.silent_until is not None:
            self.store.set_initialized(caller.owner_key, session.id)
            self._keep_recent(caller, replace(session, silent_until=None))

    def is_silent(self, session: Session) -> bool:
        """Return whether the client must not be sent requests and notifications yet.

        "The server SHOULD NOT send requests other than pings and logging before receiving the `initialized`
        notification."  -- 2025-11-25, Lifecycle, Initialization
        """
        return session.silent_until is not None and self.now() < session.silent_until

    def find(self, caller: Caller, session_id: str) -> Session | None:
        """Return the caller's session, or None if it expired, half a `SESSION_LIFETIME` or more after its last use."""
        session = self._load(caller, session_id)
        if session is None:
            self.recent.forget(caller.owner_key, session_id)
        return session

    def find_recent(self, caller: Caller, session_id: str) -> Session | None:
        """Return the caller's session as it was `SESSION_FRESH` ago or later, which may have ended elsewhere since."""
        now = self.now()
        if (known := self.recent.get(caller.owner_key, session_id, now)) is not None:
            return known
        session = self.find(caller, session_id)
        # A process may not know yet that one which it has cached is silent no longer.
        if session is not None and not self.is_silent(session):
            self._keep_recent(caller, session)
        return session

    def set_log_level(self, caller: Caller, session: Session, level: str) -> None:
        """Keep the lowest level of the log messages that the client is sent."""
        self.store.set_log_level(caller.owner_key, session.id, level)
        self.recent.forget(caller.owner_key, session.id)

    def end(self, caller: Caller, session: Session) -> None:
        """End the session, and none of its tasks."""
        self.store.end(caller.owner_key, session.id)
        self.recent.forget(caller.owner_key, session.id)

    def attach_task(self, caller: Caller, session: Session, request_id: JSON, task_id: str) -> bool:
        """Keep which task runs a plain call, so that cancelling the request can cancel the task.

        Returns False if the request was cancelled: then `cancel_request` may not have found the task.
        """
        # Written before the cancellation is read, and there the other way round: whoever comes second finds both.
        self._attach(caller, session, request_id, task_id)
        return self.awaits_response(caller, session.id, request_id)

    def detach_task(self, caller: Caller, session: Session, request_id: JSON) -> None:
        """Let the task of a plain call go on when the request is cancelled: the client has the task's handle now."""
        self._attach(caller, session, request_id, None)

    def cancel_request(self, caller: Caller, session: Session, request_id: JSON) -> str | None:
        """Keep that the client cancelled a request, and return the id of the task that runs it, if there is one."""
        name = stream_name(session.id, request_id)
        self.store.cancel_stream(caller.owner_key, name, self.now() + SESSION_LIFETIME)
        known = self.store.load_stream(caller.owner_key, name)
        return None if known is None else known.task_id

    def awaits_response(self, caller: Caller, session_id: str, request_id: JSON) -> bool:
        """Return whether the client still awaits the response to a request: it did not cancel it."""
        return self.is_open(caller, stream_name(session_id, request_id))

    def is_open(self, caller: Caller, stream: str) -> bool:
        """Return whether the stream of this name can still be resumed: its request was not cancelled."""
        known = self.store.load_stream(caller.owner_key, stream)
        return known is None or not known.cancelled

    def load_attempt(self, caller: Caller, name: str) -> Attempt | None:
        """Return the last attempt of the delivery of this name, if there was any."""
        return self.store.load_attempt(caller.owner_key, name)

    def save_attempt(self, caller: Caller, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep the next attempt of a delivery; returns False if another kept one first, or its time is over."""
        return self.store.save_attempt(caller.owner_key, name, attempt, until)

    def _keep_recent(self, caller: Caller, session: Session) -> None:
        self.recent.keep(caller.owner_key, session, self.now() + SESSION_FRESH)

    def _load(self, caller: Caller, session_id: str) -> Session | None:
        session = self.store.load(caller.owner_key, session_id)
        if session is None or session.expires_at - self.now() >= SESSION_LIFETIME / 2:
            return session
        until = self.now() + SESSION_LIFETIME
        is_there = self.store.prolong(caller.owner_key, session_id, until)
        return replace(session, expires_at=until) if is_there else None

    def _attach(self, caller: Caller, session: Session, request_id: JSON, task_id: str | None) -> None:
        name, until = stream_name(session.id, request_id), self.now() + SESSION_LIFETIME
        self.store.attach_task(caller.owner_key, name, task_id, until)


def stream_name(session_id: str, request_id: JSON) -> str:
    """Return the name of the stream that answers a request, whose id may be a number or text: 7 and "7" are two."""
    return f"{session_id}:{json.dumps(request_id)}"
