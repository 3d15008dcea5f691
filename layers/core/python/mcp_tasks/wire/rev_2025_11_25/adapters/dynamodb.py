"""A `SessionStore` in the DynamoDB table of the tasks."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from mcp_tasks.adapters.dynamodb.items import Item, can_exist, epoch, expires_at, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import (
    Fields,
    from_json,
    integer_attribute,
    moment_attribute,
    string_attribute,
)
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.json_values import flag, mapping
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
        """Create a session."""
        more = {"logLevel": session.log_level, "silentUntil": session.silent_until and session.silent_until.isoformat()}
        self.table.put(
            {
                **primary_key(owner_key, "session", session.id),
                **expiry_attributes(session.expires_at),
                "version": {"S": session.version},
                "capabilities": {"S": json.dumps(session.capabilities)},
                **{name: {"S": value} for name, value in more.items() if value is not None},
            }
        )

    def load(self, owner_key: str, session_id: str) -> Session | None:
        """Return the session, or None if it ended, expired or cannot be read: its client then initializes again."""
        with skip_unreadable("the session is treated as absent", owner_key=owner_key):
            item = self.table.get(primary_key(owner_key, "session", session_id))
            return None if item is None else _session(session_id, item)
        return None

    def prolong(self, owner_key: str, session_id: str, until: datetime) -> bool:
        """Have the session expire at a later time; returns False if it ended."""
        lasting = expiry_attributes(until)
        return self._change_session(
            owner_key,
            session_id,
            UpdateExpression="SET expiresAt = :expires, goneAt = :gone",
            ExpressionAttributeValues={":expires": lasting["expiresAt"], ":gone": lasting["goneAt"]},
        )

    def set_initialized(self, owner_key: str, session_id: str) -> None:
        """Keep that the session is silent no longer, if there is a session."""
        self._change_session(owner_key, session_id, UpdateExpression="REMOVE silentUntil")

    def set_log_level(self, owner_key: str, session_id: str, level: str) -> None:
        """Keep the session's log level, if there is a session."""
        self._change_session(
            owner_key,
            session_id,
            UpdateExpression="SET logLevel = :level",
            ExpressionAttributeValues={":level": {"S": level}},
        )

    def _change_session(self, owner_key: str, session_id: str, **change: Any) -> bool:
        """Update a session that exists: another process may have ended one that this process has cached."""
        try:
            self.table.update(
                Key=primary_key(owner_key, "session", session_id),
                ConditionExpression="attribute_exists(PK)",
                **change,
            )
        except ConditionFailed:
            return False
        return True

    def end(self, owner_key: str, session_id: str) -> None:
        """Delete the session."""
        place = primary_key(owner_key, "session", session_id)
        if can_exist(place):
            self.table.delete(Key=place)

    def subscribe(self, owner_key: str, session_id: str, uri: str, version: int, until: datetime) -> None:
        """Subscribe a session to a URI, of which it knows this version, until a time."""
        lasting = expiry_attributes(until)
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
        found = {}
        with skip_unreadable("the session is treated as without subscriptions", owner_key=owner_key):
            item = self.table.get(_subscriptions_key(owner_key, session_id)) or {}
            for name in (each for each in item if each.startswith(WATCHED)):
                with skip_unreadable("the subscription is ignored", owner_key=owner_key):
                    uri, version = Fields.of(item).required(name, _subscription)
                    found[uri] = version
        return found

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

    def attach_task(self, owner_key: str, name: str, task_id: str | None, until: datetime) -> None:
        """Keep which task runs the request of a stream, until a time."""
        kept = "dropped = if_not_exists(dropped, :cancelled)"
        if task_id is None:
            self._change_stream(owner_key, name, until, f"REMOVE taskId SET {kept}", cancelled=False)
        else:
            self._change_stream(owner_key, name, until, f"SET {kept}, taskId = :task", cancelled=False, task_id=task_id)

    def cancel_stream(self, owner_key: str, name: str, until: datetime) -> None:
        """Keep that the request of a stream was cancelled, until a time."""
        self._change_stream(owner_key, name, until, "SET dropped = :cancelled", cancelled=True)

    def _change_stream(
        self, owner_key: str, name: str, until: datetime, change: str, *, cancelled: bool, task_id: str | None = None
    ) -> None:
        lasting = expiry_attributes(until)
        values = {":cancelled": {"BOOL": cancelled}, ":expires": lasting["expiresAt"], ":gone": lasting["goneAt"]}
        self.table.update(
            Key=_stream_key(owner_key, name),
            UpdateExpression=f"{change}, expiresAt = :expires, goneAt = :gone",
            ExpressionAttributeValues=values if task_id is None else {**values, ":task": {"S": task_id}},
        )

    def load_stream(self, owner_key: str, name: str) -> Stream | None:
        """Return what is kept of a stream, or None if there is nothing that can be read."""
        with skip_unreadable("the stream is treated as absent", owner_key=owner_key):
            item = self.table.get(_stream_key(owner_key, name))
            return None if item is None else _stream(item)
        return None

    def save_attempt(self, owner_key: str, name: str, attempt: Attempt, until: datetime) -> bool:
        """Keep an attempt if its number is the next one of its delivery, and its time is not over."""
        # One reading of the clock for both: an item that counts as expired here has an `until` that is over, too.
        now = self.table.clock.now()
        if until <= now:
            return False
        item = {
            **primary_key(owner_key, "delivery", hashed(name)),
            **expiry_attributes(until),
            **_attempt_fields(attempt),
        }
        first = {
            "ConditionExpression": "attribute_not_exists(PK) OR goneAt <= :now",
            "ExpressionAttributeValues": {":now": epoch(now)},
        }
        later = {
            "ConditionExpression": "#attempt = :before AND goneAt > :now",
            "ExpressionAttributeNames": {"#attempt": "turn"},
            "ExpressionAttributeValues": {":before": {"N": str(attempt.number - 1)}, ":now": epoch(now)},
        }
        try:
            self.table.transact({"Put": {"Item": item, **(first if attempt.number == 1 else later)}})
        except ConditionFailed:
            return False
        return True

    def load_attempt(self, owner_key: str, name: str) -> Attempt | None:
        """Return the last attempt of a delivery, or None; raises `UnreadableItem`."""
        item = self.table.get(primary_key(owner_key, "delivery", hashed(name)))
        return None if item is None else _attempt(item)


def _session(session_id: str, item: Item) -> Session:
    fields = Fields.of(item)
    return Session(
        id=session_id,
        version=fields.required("version", string_attribute),
        capabilities=fields.optional("capabilities", lambda attribute: mapping(from_json(attribute)), {}),
        expires_at=expires_at(item),
        log_level=fields.optional("logLevel", string_attribute, None),
        silent_until=fields.optional("silentUntil", moment_attribute, None),
    )


def _subscription(attribute: Item) -> tuple[str, int]:
    watched = attribute["M"]
    return watched["uri"]["S"], int(watched["version"]["N"])


def _stream(item: Item) -> Stream:
    fields = Fields.of(item)
    return Stream(
        task_id=fields.optional("taskId", string_attribute, None),
        cancelled=fields.optional("dropped", lambda attribute: flag(attribute["BOOL"]), False),
    )


def _attempt(item: Item) -> Attempt:
    fields = Fields.of(item)
    return Attempt(
        number=fields.required("turn", integer_attribute),
        stream=fields.optional("stream", string_attribute, None),
        request_id=fields.optional("requestId", string_attribute, None),
        not_before=fields.optional("notBefore", moment_attribute, None),
        rejected=fields.optional("misfits", integer_attribute, 0),
        last_error=fields.optional("fault", string_attribute, None),
        kind=fields.optional("step", string_attribute, None),
        client_task=fields.optional("clientTask", string_attribute, None),
    )


def _attempt_fields(attempt: Attempt) -> Item:
    fields = {
        "stream": attempt.stream,
        "requestId": attempt.request_id,
        "notBefore": attempt.not_before and attempt.not_before.isoformat(),
        "step": attempt.kind,
        "clientTask": attempt.client_task,
        "fault": attempt.last_error,
    }
    return {
        "turn": {"N": str(attempt.number)},
        "misfits": {"N": str(attempt.rejected)},
        **{field: {"S": value} for field, value in fields.items() if value is not None},
    }


def _subscriptions_key(owner_key: str, session_id: str) -> Item:
    return primary_key(owner_key, "watching", session_id)


def _attribute(uri: str) -> str:
    return WATCHED + hashed(uri)


def _stream_key(owner_key: str, name: str) -> Item:
    # A stream is named after the client's request id, which may be text of any length.
    return primary_key(owner_key, "stream", hashed(name))
