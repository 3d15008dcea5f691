"""The sessions that this process read lately, so that not each request of a session reads it from the store."""

from collections import OrderedDict
from datetime import datetime
from threading import Lock

from mcp_tasks.limits.tenants import MAX_RECENT_SESSIONS
from mcp_tasks.wire.rev_2025_11_25.ports import Session


class RecentSessions:
    """Sessions by owner key and id, each until a time: so nobody is given another caller's.

    That there is no such session is never kept: anybody can make up ids.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._kept: OrderedDict[tuple[str, str], tuple[Session, datetime]] = OrderedDict()
        self._lock = Lock()

    def get(self, owner_key: str, session_id: str, now: datetime) -> Session | None:
        """Return the session, or None if it is not kept, or its time is over."""
        session, until = self._kept.get((owner_key, session_id), (None, now))
        return session if until > now else None

    def keep(self, owner_key: str, session: Session, until: datetime) -> None:
        """Keep the session until a time, or until it expires; the one that was kept longest makes room for it."""
        with self._lock:
            self._kept[owner_key, session.id] = (session, min(until, session.expires_at))
            self._kept.move_to_end((owner_key, session.id))
            if len(self._kept) > MAX_RECENT_SESSIONS:
                self._kept.popitem(last=False)

    def forget(self, owner_key: str, session_id: str) -> None:
        """Keep the session no longer; harmless when repeated."""
        with self._lock:
            self._kept.pop((owner_key, session_id), None)
