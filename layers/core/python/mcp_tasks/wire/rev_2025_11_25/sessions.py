"""Sessions: what a client and the server agreed on, for revisions that shake hands.

A session belongs to the caller who reference_of it and proves nothing about anybody; tasks outlive it.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_tasks.limits.waits import SESSION_LIFETIME
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, SessionStore, Stream

# Also what is remembered: the wire speaks of sessions, and never to the ports.
__all__ = ["Attempt", "Session", "Sessions", "stream_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """The sentences that can be said of sessions."""

    store: SessionStore
    now: Callable[[], datetime]

    def open(self, caller: Caller, version: str, capabilities: Mapping[str, JSON]) -> Session:
        """Begin a session."""
        session = Session(
            id=secrets.token_urlsafe(32),
            version=version,
            capabilities=capabilities,
            expires_at=self.now() + SESSION_LIFETIME,
        )
        self.store.save(caller.owner_key, session)
        return session

    def find(self, caller: Caller, session_id: str) -> Session | None:
        """Return the caller's session if it lives, and let it live on: it ends a day after its last use, about."""
        session = self.store.load(caller.owner_key, session_id)
        if session is not None and session.expires_at - self.now() < SESSION_LIFETIME / 2:
            session = replace(session, expires_at=self.now() + SESSION_LIFETIME)
            self.store.save(caller.owner_key, session)
        return session

    def set_log_level(self, caller: Caller, session: Session, level: str) -> None:
        """Remember which messages the client wants to see."""
        self.store.save(caller.owner_key, replace(session, log_level=level))

    def end(self, caller: Caller, session: Session) -> None:
        """End the session; its tasks go on."""
        self.store.end(caller.owner_key, session.id)

    def attach_task(self, caller: Caller, session: Session, request_id: JSON, task_id: str) -> bool:
        """Remember the task behind a call that its client waits for, so that giving up the one stops the other.

        Tells whether the client still waits: it may have given up before there was anything to remember.
        """
        if not self.awaits_response(caller, session.id, request_id):
            return False
        self._save_stream(caller, session, request_id, Stream(task_id=task_id))
        return True

    def detach_task(self, caller: Caller, session: Session, request_id: JSON) -> None:
        """Forget the task behind a call that is answered with the task's id: giving up the call stops it no more."""
        if self.awaits_response(caller, session.id, request_id):
            self._save_stream(caller, session, request_id, Stream())

    def cancel_request(self, caller: Caller, session: Session, request_id: JSON) -> str | None:
        """Note that the client does not wait for the answer to this request any more.

        Returns the task that now is done for nobody, if the request was a call that is no task to its client.
        """
        known = self.store.load_stream(caller.owner_key, stream_name(session.id, request_id)) or Stream()
        self._save_stream(caller, session, request_id, replace(known, cancelled=True))
        return known.task_id

    def awaits_response(self, caller: Caller, session_id: str, request_id: JSON) -> bool:
        """Tell whether the client still waits for the answer to this request."""
        return self.is_open(caller, stream_name(session_id, request_id))

    def is_open(self, caller: Caller, stream: str) -> bool:
        """Tell whether a stream, by its name, may still deliver what it carries."""
        known = self.store.load_stream(caller.owner_key, stream)
        return known is None or not known.cancelled

    def load_attempt(self, caller: Caller, name: str) -> Attempt | None:
        """Return what is remembered of a delivery, if anything is."""
        return self.store.load_attempt(caller.owner_key, name)

    def save_attempt(self, caller: Caller, name: str, attempt: Attempt, until: datetime) -> bool:
        """Remember a delivery unless somebody else was faster; tells whether it did."""
        return self.store.save_attempt(caller.owner_key, name, attempt, until)

    def _save_stream(self, caller: Caller, session: Session, request_id: JSON, stream: Stream) -> None:
        name = stream_name(session.id, request_id)
        self.store.save_stream(caller.owner_key, name, stream, self.now() + SESSION_LIFETIME)


def stream_name(session_id: str, request_id: JSON) -> str:
    """Name the stream that answers one request: 7 and "7" are two requests."""
    return f"{session_id}:{json.dumps(request_id)}"
