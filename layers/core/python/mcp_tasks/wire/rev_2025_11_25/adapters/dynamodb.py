"""Sessions in the task table."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mcp_tasks.adapters.dynamodb.items import Item, can_exist, ends_at, epoch, lifetime, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, Stream

WATCHED: Final = "watched-"
"""How the attributes begin that are subscriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoSessions:
    """The sessions of each caller; see `SessionStore`."""

    table: Table

    def save(self, owner_key: str, session: Session) -> None:
        """Keep the session; see `SessionStore`."""
        level = {} if session.log_level is None else {"logLevel": {"S": session.log_level}}
        self.table.put(
            {
                **primary_key(owner_key, "session", session.id),
                **lifetime(session.expires_at),
                "version": {"S": session.version},
                "capabilities": {"S": json.dumps(session.capabilities)},
                **level,
            }
        )

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session; see `SessionStore`."""
        item = self.table.get(primary_key(owner_key, "session", session_id))
        if item is None:
            return None
        return Session(
            id=session_id,
            version=item["version"]["S"],
            capabilities=json.loads(item["capabilities"]["S"]) if "capabilities" in item else {},
            expires_at=ends_at(item),
            log_level=item["logLevel"]["S"] if "logLevel" in item else None,
        )

    def end(self, owner_key: str, session_id: str) -> None:
        """Forget the session; see `SessionStore`."""
        place = primary_key(owner_key, "session", session_id)
        if can_exist(place):
            self.table.delete(Key=place)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe; see `SessionStore`."""
        lasting = lifetime(until)
        self.table.update(
            Key=_watching(owner_key, session_id),
            UpdateExpression="SET #it = :it, expiresAt = :expires, goneAt = :gone",
            ExpressionAttributeNames={"#it": _named(uri)},
            ExpressionAttributeValues={
                ":it": {"M": {"uri": {"S": uri}, "version": {"N": str(version)}}},
                ":expires": lasting["expiresAt"],
                ":gone": lasting["goneAt"],
            },
        )

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """Unsubscribe; see `SessionStore`."""
        with suppress(ConditionFailed):
            self.table.update(
                Key=_watching(owner_key, session_id),
                UpdateExpression="REMOVE #it",
                ConditionExpression="attribute_exists(#it)",
                ExpressionAttributeNames={"#it": _named(uri)},
            )

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the subscriptions; see `SessionStore`."""
        item = self.table.get(_watching(owner_key, session_id)) or {}
        watched = [value["M"] for name, value in item.items() if name.startswith(WATCHED)]
        return {each["uri"]["S"]: int(each["version"]["N"]) for each in watched}

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim what is to be told; see `SessionStore`."""
        telling = {
            "Key": _watching(owner_key, session_id),
            "UpdateExpression": "SET #it.version = :version",
            "ConditionExpression": "#it.version < :version",
            "ExpressionAttributeNames": {"#it": _named(uri)},
            "ExpressionAttributeValues": {":version": {"N": str(version)}},
        }
        try:
            # A transaction: one whose answer was lost must not find its own work in the way, or nobody would tell.
            self.table.transact({"Update": telling})
        except ConditionFailed:
            return False
        return True

    def save_stream(self, owner_key: str, name: str, stream: Stream, until: datetime) -> None:
        """Keep a stream; see `SessionStore`."""
        task = {} if stream.task_id is None else {"taskId": {"S": stream.task_id}}
        self.table.put({**_stream(owner_key, name), **lifetime(until), **task, "dropped": {"BOOL": stream.cancelled}})

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return a stream; see `SessionStore`."""
        item = self.table.get(_stream(owner_key, name))
        if item is None:
            return None
        return Stream(
            task_id=item["taskId"]["S"] if "taskId" in item else None,
            cancelled="dropped" in item and item["dropped"]["BOOL"],
        )

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep a delivery; see `SessionStore`."""
        item = {**primary_key(owner_key, "delivery", _digest(name)), **lifetime(until), **_carried(attempt)}
        now = epoch(self.table.clock.now())
        first = {
            "ConditionExpression": "attribute_not_exists(PK) OR goneAt <= :now",
            "ExpressionAttributeValues": {":now": now},
        }
        later = {
            "ConditionExpression": "#attempt = :before AND goneAt > :now",
            "ExpressionAttributeNames": {"#attempt": "turn"},
            "ExpressionAttributeValues": {":before": {"N": str(attempt.attempt - 1)}, ":now": now},
        }
        try:
            self.table.transact({"Put": {"Item": item, **(first if attempt.attempt == 1 else later)}})
        except ConditionFailed:
            return False
        return True

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return a delivery; see `SessionStore`."""
        item = self.table.get(primary_key(owner_key, "delivery", _digest(name)))
        if item is None:
            return None
        known = {field: value["S"] for field, value in item.items() if "S" in value}
        return Attempt(
            attempt=int(item["turn"]["N"]),
            stream=known.get("stream"),
            request_id=known.get("requestId"),
            not_before=datetime.fromisoformat(known["notBefore"]) if "notBefore" in known else None,
            rejected=int(item["misfits"]["N"]) if "misfits" in item else 0,
            last_error=known.get("fault"),
            step=known.get("step"),
            client_task=known.get("clientTask"),
        )


def _carried(attempt: Attempt) -> Item:
    fields = {
        "stream": attempt.stream,
        "requestId": attempt.request_id,
        "notBefore": attempt.not_before and attempt.not_before.isoformat(),
        "step": attempt.step,
        "clientTask": attempt.client_task,
        "fault": attempt.last_error,
    }
    return {
        "turn": {"N": str(attempt.attempt)},
        "misfits": {"N": str(attempt.rejected)},
        **{field: {"S": value} for field, value in fields.items() if value is not None},
    }


def _watching(owner_key: str, session_id: str) -> Item:
    return primary_key(owner_key, "watching", session_id)


def _named(uri: str) -> str:
    return WATCHED + _digest(uri)


def _stream(owner_key: str, name: str) -> Item:
    # A stream is named after the client's request id, which may be text of any length.
    return primary_key(owner_key, "stream", _digest(name))


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
