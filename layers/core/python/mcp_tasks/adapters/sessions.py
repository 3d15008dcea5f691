"""Sessions in the task table."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mcp_tasks.adapters.items import Item, can_exist, ends_at, lifetime, primary_key
from mcp_tasks.adapters.table import Refused, Table
from mcp_tasks.ports import Session, Stream

WATCHED: Final = "watched-"
"""How the attributes begin that are subscriptions."""


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

    def subscribe(self, scope: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe; see `SessionStore`."""
        lasting = lifetime(until)
        self.table.update(
            Key=_watching(scope, session_id),
            UpdateExpression="SET #it = :it, expiresAt = :expires, goneAt = :gone",
            ExpressionAttributeNames={"#it": _named(uri)},
            ExpressionAttributeValues={
                ":it": {"M": {"uri": {"S": uri}, "version": {"N": str(version)}}},
                ":expires": lasting["expiresAt"],
                ":gone": lasting["goneAt"],
            },
        )

    def unsubscribe(self, scope: str, session_id: str, uri: str) -> None:
        """Unsubscribe; see `SessionStore`."""
        with suppress(Refused):
            self.table.update(
                Key=_watching(scope, session_id),
                UpdateExpression="REMOVE #it",
                ConditionExpression="attribute_exists(#it)",
                ExpressionAttributeNames={"#it": _named(uri)},
            )

    def subscriptions(self, scope: str, session_id: str) -> Mapping[str, int]:
        """Return the subscriptions; see `SessionStore`."""
        item = self.table.get(_watching(scope, session_id)) or {}
        watched = [value["M"] for name, value in item.items() if name.startswith(WATCHED)]
        return {each["uri"]["S"]: int(each["version"]["N"]) for each in watched}

    def claim(self, scope: str, session_id: str, uri: str, version: int) -> bool:
        """Claim what is to be told; see `SessionStore`."""
        telling = {
            "Key": _watching(scope, session_id),
            "UpdateExpression": "SET #it.version = :version",
            "ConditionExpression": "#it.version < :version",
            "ExpressionAttributeNames": {"#it": _named(uri)},
            "ExpressionAttributeValues": {":version": {"N": str(version)}},
        }
        try:
            # A transaction: one whose answer was lost must not find its own work in the way, or nobody would tell.
            self.table.transact({"Update": telling})
        except Refused:
            return False
        return True

    def save_stream(self, scope: str, name: str, stream: Stream, until: datetime) -> None:
        """Keep a stream; see `SessionStore`."""
        task = {} if stream.task_id is None else {"taskId": {"S": stream.task_id}}
        self.table.put({**_stream(scope, name), **lifetime(until), **task, "dropped": {"BOOL": stream.dropped}})

    def load_stream(self, scope: str, name: str) -> Stream | None:
        """Return a stream; see `SessionStore`."""
        item = self.table.get(_stream(scope, name))
        if item is None:
            return None
        return Stream(task_id=item["taskId"]["S"] if "taskId" in item else None, dropped=item["dropped"]["BOOL"])


def _watching(scope: str, session_id: str) -> Item:
    return primary_key(scope, "watching", session_id)


def _named(uri: str) -> str:
    return WATCHED + hashlib.sha256(uri.encode(errors="surrogatepass")).hexdigest()


def _stream(scope: str, name: str) -> Item:
    # A stream is named after the client's request id, which may be text of any length.
    return primary_key(scope, "stream", hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest())
