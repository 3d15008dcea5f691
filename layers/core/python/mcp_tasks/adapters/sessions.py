"""Sessions in the task table."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from mcp_tasks.adapters.items import Item, can_exist, ends_at, lifetime, primary_key
from mcp_tasks.adapters.table import Table
from mcp_tasks.ports import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoSessions:
    """The sessions of each caller; see `SessionStore`."""

    table: Table

    def save(self, scope: str, session: Session) -> None:
        """Keep the session; see `SessionStore`."""
        level = {} if session.log_level is None else {"logLevel": {"S": session.log_level}}
        self.table.put(
            {
                **primary_key(scope, "session", session.id),
                **lifetime(session.expires_at),
                "version": {"S": session.version},
                "capabilities": {"S": json.dumps(session.capabilities)},
                **level,
            }
        )

    def load(self, scope: str, session_id: str) -> Session | None:
        """Return the session; see `SessionStore`."""
        item = self.table.get(primary_key(scope, "session", session_id))
        if item is None:
            return None
        return Session(
            id=session_id,
            version=item["version"]["S"],
            capabilities=json.loads(item["capabilities"]["S"]),
            expires_at=ends_at(item),
            log_level=item["logLevel"]["S"] if "logLevel" in item else None,
        )

    def end(self, scope: str, session_id: str) -> None:
        """Forget the session; see `SessionStore`."""
        place = primary_key(scope, "session", session_id)
        if can_exist(place):
            self.table.delete(Key=place)

    def drop_stream(self, scope: str, stream: str, until: datetime) -> None:
        """Drop a stream; see `SessionStore`."""
        self.table.put(_stream(scope, stream) | lifetime(until))

    def is_dropped(self, scope: str, stream: str) -> bool:
        """Tell whether a stream was dropped; see `SessionStore`."""
        return self.table.get(_stream(scope, stream)) is not None


def _stream(scope: str, name: str) -> Item:
    # A stream is named after the client's request id, which may be text of any length.
    return primary_key(scope, "stream", hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest())
