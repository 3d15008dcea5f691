"""A `SessionStore` in the DynamoDB table of the tasks."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from mcp_tasks.adapters.dynamodb.items import Item, can_exist, ends_at, epoch, lifetime, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session, Stream

WATCHED: Final = "watched-"
"""The prefix of the attributes that hold subscriptions."""


SCHEMAS: Final[Mapping[str, int]] = {"delivery": 2, "session": 2, "stream": 2, "watching": 2}
"""The kinds of items that only this revision keeps, each with its schema version."""


class DynamoSessions:
    """Keeps sessions as items under the partition of their caller."""

    def __init__(self, *, table: Table) -> None:
        self.table = table.with_schemas(SCHEMAS)

    def save(self, owner_key: str, session: Session) -> None:
        """Create or replace a session."""
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
        """Return the session, or None if it ended or expired."""
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
        """Delete the session."""
        place = primary_key(owner_key, "session", session_id)
        if can_exist(place):
            self.table.delete(Key=place)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe a session to a URI, of which it knows this version, until a time."""
        lasting = lifetime(until)
        self.table.update(
            Key=_subscriptions_key(owner_key, session_id),
            UpdateExpression="SET #it = :it, expiresAt = :expires, goneAt = :gone",
            ExpressionAttributeNames={"#it": _attribute(uri)},
            ExpressionAttributeValues={
                ":it": {"M": {"uri": {"S": uri}, "version": {"N": str(version)}}},
                ":expires": lasting["expiresAt"],
                ":gone": lasting["goneAt"],
            },
        )

    def unsubscribe(self, owner_key: str, session_id: str, uri: str) -> None:
        """End a subscription, if there is one."""
        with suppress(ConditionFailed):
            self.table.update(
                Key=_subscriptions_key(owner_key, session_id),
                UpdateExpression="REMOVE #it",
                ConditionExpression="attribute_exists(#it)",
                ExpressionAttributeNames={"#it": _attribute(uri)},
            )

    def subscriptions(self, owner_key: str, session_id: str) -> Mapping[str, int]:
        """Return the URIs with the last version that the session was notified of."""
        item = self.table.get(_subscriptions_key(owner_key, session_id)) or {}
        watched = [value["M"] for name, value in item.items() if name.startswith(WATCHED)]
        return {each["uri"]["S"]: int(each["version"]["N"]) for each in watched}

    def claim(self, owner_key: str, session_id: str, uri: str, version: int) -> bool:
        """Claim the notification of a version; False if it, or a newer one, is claimed."""
        claim = {
            "Key": _subscriptions_key(owner_key, session_id),
            "UpdateExpression": "SET #it.version = :version",
            "ConditionExpression": "#it.version < :version",
            "ExpressionAttributeNames": {"#it": _attribute(uri)},
            "ExpressionAttributeValues": {":version": {"N": str(version)}},
        }
        try:
            # A transaction is idempotent: an update that is retried after its response was lost would find its own
            # version, and no stream would send the notification.
            self.table.transact({"Update": claim})
        except ConditionFailed:
            return False
        return True

    def save_stream(self, owner_key: str, name: str, stream: Stream, until: datetime) -> None:
        """Create or replace what is kept of a stream, until a time."""
        task = {} if stream.task_id is None else {"taskId": {"S": stream.task_id}}
        self.table.put(
            {**_stream_key(owner_key, name), **lifetime(until), **task, "dropped": {"BOOL": stream.cancelled}}
        )

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is kept of a stream, or None."""
        item = self.table.get(_stream_key(owner_key, name))
        if item is None:
            return None
        return Stream(
            task_id=item["taskId"]["S"] if "taskId" in item else None,
            cancelled="dropped" in item and item["dropped"]["BOOL"],
        )

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep an attempt if its number is the next one of its delivery."""
        item = {**primary_key(owner_key, "delivery", _digest(name)), **lifetime(until), **_attempt_fields(attempt)}
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
        """Return the last attempt of a delivery, or None."""
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


def _attempt_fields(attempt: Attempt) -> Item:
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


def _subscriptions_key(owner_key: str, session_id: str) -> Item:
    return primary_key(owner_key, "watching", session_id)


def _attribute(uri: str) -> str:
    return WATCHED + _digest(uri)


def _stream_key(owner_key: str, name: str) -> Item:
    # A stream is named after the client's request id, which may be text of any length.
    return primary_key(owner_key, "stream", _digest(name))


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
