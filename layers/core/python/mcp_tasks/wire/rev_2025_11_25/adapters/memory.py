"""A `SessionStore` in memory, for one process."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.ports.clock import Clock
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, Stream


class MemorySessions:
    """Keeps sessions by owner key until they expire by a clock, and what belongs to them."""

    def __init__(self, clock: Clock) -> None:
        """Begin without sessions; they expire by this clock."""
        self._clock = clock
        self._sessions: Shelves[Session] = Shelves(clock)
        self._streams: Shelves[Stream] = Shelves(clock)
        self._deliveries: Shelves[Attempt] = Shelves(clock)
        self._watching: Shelves[tuple[int, datetime]] = Shelves(clock)
        self._lock = threading.Lock()

    def save(self, owner_key: str, session: Session) -> None:
        """Create a session."""
        with self._lock:
            self._sessions.put(owner_key, session.id, session, session.expires_at)

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session, or None if it ended or expired."""
        with self._lock:
            return self._sessions.find(owner_key, session_id)

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
            session = self._sessions.find(owner_key, session_id)
            if session is None:
                return False
            changed = replace(session, **change)
            self._sessions.put(owner_key, session_id, changed, changed.expires_at)
            return True

    def end(self, owner_key: str, session_id: str) -> None:
        """Delete the session."""
        with self._lock:
            self._sessions.pop(owner_key, session_id)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe a session to a URI, of which it knows this version, until a time."""
        with self._lock:
            self._watching.put((owner_key, session_id), uri, (version, until), until)

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """End a subscription, if there is one."""
        with self._lock:
            self._watching.pop((owner_key, session_id), uri)

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the URIs with the last version that the session was notified of."""
        with self._lock:
            return {uri: version for uri, (version, _) in self._watching.after((owner_key, session_id), None)}

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim the notification of a version; False if it, or a newer one, is claimed."""
        with self._lock:
            notified, until = self._watching.find((owner_key, session_id), uri) or (version, self._clock.now())
            if notified >= version:
                return False
            self._watching.put((owner_key, session_id), uri, (version, until), until)
            return True

    def attach_task(self, owner_key: str, name: str, task_id: str | None, until: datetime) -> None:
        """Keep which task runs the request of a stream, until a time."""
        self._change_stream(owner_key, name, until, task_id=task_id)

    def cancel_stream(self, owner_key: str, name: str, until: datetime) -> None:
        """Keep that the request of a stream was cancelled, until a time."""
        self._change_stream(owner_key, name, until, cancelled=True)

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is kept of a stream, or None."""
        with self._lock:
            return self._streams.find(owner_key, name)

    def _change_stream(self, owner_key: str, name: str, until: datetime, **change: Any) -> None:
        with self._lock:
            known = self._streams.find(owner_key, name) or Stream()
            self._streams.put(owner_key, name, replace(known, **change), until)

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep an attempt if its number is the next one of its delivery, and its time is not over."""
        with self._lock:
            known = self._deliveries.find(owner_key, name)
            if until <= self._clock.now() or attempt.number != (known.number if known else 0) + 1:
                return False
            self._deliveries.put(owner_key, name, attempt, until)
            return True

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return the last attempt of a delivery, or None."""
        with self._lock:
            return self._deliveries.find(owner_key, name)
