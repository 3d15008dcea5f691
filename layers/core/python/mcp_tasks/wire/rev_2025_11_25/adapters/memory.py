"""Sessions in memory, for one process; the contract suite holds them to the same promises."""

import threading
from collections.abc import Mapping
from datetime import datetime

from mcp_tasks.ports.clock import Clock
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, Stream


class MemorySessions:
    """All sessions."""

    def __init__(self, clock: Clock) -> None:
        """Start empty."""
        self._clock = clock
        self._sessions: dict[tuple[str, str], Session] = {}
        self._streams: dict[tuple[str, str], tuple[Stream, datetime]] = {}
        self._deliveries: dict[tuple[str, str], tuple[Attempt, datetime]] = {}
        self._watching: dict[tuple[str, str], dict[str, tuple[int, datetime]]] = {}
        self._lock = threading.Lock()

    def save(self, owner_key: str, session: Session) -> None:
        """Keep the session; see `SessionStore`."""
        self._sessions[owner_key, session.id] = session

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session; see `SessionStore`."""
        session = self._sessions.get((owner_key, session_id))
        return session if session is not None and session.expires_at > self._clock.now() else None

    def end(self, owner_key: str, session_id: str) -> None:
        """Forget the session; see `SessionStore`."""
        self._sessions.pop((owner_key, session_id), None)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe; see `SessionStore`."""
        with self._lock:
            self._watching.setdefault((owner_key, session_id), {})[uri] = (version, until)

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """Unsubscribe; see `SessionStore`."""
        with self._lock:
            self._watching.get((owner_key, session_id), {}).pop(uri, None)

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the subscriptions; see `SessionStore`."""
        now = self._clock.now()
        with self._lock:
            known = self._watching.get((owner_key, session_id), {})
            return {uri: version for uri, (version, until) in known.items() if until > now}

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim what is to be notified; see `SessionStore`."""
        with self._lock:
            known = self._watching.get((owner_key, session_id), {})
            notified, until = known.get(uri, (version, self._clock.now()))
            if notified >= version:
                return False
            known[uri] = (version, until)
            return True

    def save_stream(self, owner_key: str, name: str, stream: Stream, until: datetime) -> None:
        """Keep a stream; see `SessionStore`."""
        self._streams[owner_key, name] = (stream, until)

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return a stream; see `SessionStore`."""
        stream, until = self._streams.get((owner_key, name), (None, self._clock.now()))
        return stream if until > self._clock.now() else None

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep a delivery; see `SessionStore`."""
        with self._lock:
            known = self.load_attempt(owner_key, name)
            if attempt.attempt != (known.attempt if known else 0) + 1:
                return False
            self._deliveries[owner_key, name] = (attempt, until)
            return True

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return a delivery; see `SessionStore`."""
        attempt, until = self._deliveries.get((owner_key, name), (None, self._clock.now()))
        return attempt if until > self._clock.now() else None
