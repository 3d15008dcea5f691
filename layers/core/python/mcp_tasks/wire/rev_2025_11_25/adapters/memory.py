"""A `SessionStore` in memory, for one process."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.ports.clock import Clock
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, Stream


class MemorySessions:
    """Keeps sessions in dictionaries, by owner key, until they expire by a clock."""

    def __init__(self, clock: Clock) -> None:
        """Begin without sessions; they expire by this clock."""
        self._clock = clock
        self._sessions: dict[tuple[str, str], Session] = {}
        self._streams: dict[tuple[str, str], tuple[Stream, datetime]] = {}
        self._deliveries: dict[tuple[str, str], tuple[Attempt, datetime]] = {}
        self._watching: dict[tuple[str, str], dict[str, tuple[int, datetime]]] = {}
        self._lock = threading.Lock()

    def save(self, owner_key: str, session: Session) -> None:
        """Create a session."""
        self._sessions[owner_key, session.id] = session

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session, or None if it ended or expired."""
        session = self._sessions.get((owner_key, session_id))
        return session if session is not None and session.expires_at > self._clock.now() else None

    def prolong(self, owner_key: str, session_id: str, until: datetime) -> bool:
        """Have the session expire at a later time; returns False if it ended."""
        return self._change_session(owner_key, session_id, expires_at=until)

    def set_initialized(self, owner_key: str, session_id: str) -> None:
        """Keep that the session is silent no longer, if there is a session."""
        self._change_session(owner_key, session_id, silent_until=None)

    def set_log_level(self, owner_key: str, session_id: str, level: str) -> None:
        """Keep the session's log level, if there is a session."""
        self._change_session(owner_key, session_id, log_level=level)

    def _change_session(self, owner_key: str, session_id: str, **change: Any) -> bool:
        with self._lock:
            session = self._sessions.get((owner_key, session_id))
            if session is not None:
                self._sessions[owner_key, session_id] = replace(session, **change)
            return session is not None

    def end(self, owner_key: str, session_id: str) -> None:
        """Delete the session."""
        with self._lock:
            self._sessions.pop((owner_key, session_id), None)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe a session to a URI, of which it knows this version, until a time."""
        with self._lock:
            self._watching.setdefault((owner_key, session_id), {})[uri] = (version, until)

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """End a subscription, if there is one."""
        with self._lock:
            self._watching.get((owner_key, session_id), {}).pop(uri, None)

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the URIs with the last version that the session was notified of."""
        now = self._clock.now()
        with self._lock:
            known = self._watching.get((owner_key, session_id), {})
            return {uri: version for uri, (version, until) in known.items() if until > now}

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim the notification of a version; False if it, or a newer one, is claimed."""
        with self._lock:
            known = self._watching.get((owner_key, session_id), {})
            notified, until = known.get(uri, (version, self._clock.now()))
            if notified >= version:
                return False
            known[uri] = (version, until)
            return True

    def attach_task(self, owner_key: str, name: str, task_id: str | None, until: datetime) -> None:
        """Keep which task runs the request of a stream, until a time."""
        self._change_stream(owner_key, name, until, task_id=task_id)

    def cancel_stream(self, owner_key: str, name: str, until: datetime) -> None:
        """Keep that the request of a stream was cancelled, until a time."""
        self._change_stream(owner_key, name, until, cancelled=True)

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is kept of a stream, or None."""
        stream, until = self._streams.get((owner_key, name), (None, self._clock.now()))
        return stream if until > self._clock.now() else None

    def _change_stream(self, owner_key: str, name: str, until: datetime, **change: Any) -> None:
        with self._lock:
            known, _ = self._streams.get((owner_key, name), (Stream(), until))
            self._streams[owner_key, name] = (replace(known, **change), until)

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep an attempt if its number is the next one of its delivery, and its time is not over."""
        with self._lock:
            known = self.load_attempt(owner_key, name)
            if until <= self._clock.now() or attempt.number != (known.number if known else 0) + 1:
                return False
            self._deliveries[owner_key, name] = (attempt, until)
            return True

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return the last attempt of a delivery, or None."""
        attempt, until = self._deliveries.get((owner_key, name), (None, self._clock.now()))
        return attempt if until > self._clock.now() else None
