"""Converts tasks to DynamoDB items and back, and builds the table's keys; pure, no I/O.

One table holds everything.  PK is the owner: a caller's owner key, a tenant, or the system.  SK is `<kind>#<name>`.
Every item but a tenant's plan carries its expiry twice: `expiresAt` in whole seconds, for DynamoDB's TTL, which deletes
it hours or days late; and `goneAt`, exact, from which on every read here treats the item as deleted.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias
from zlib import crc32

from mcp_tasks.adapters.dynamodb.reading import Fields, integer_attribute, moment_attribute, name_of, string_attribute
from mcp_tasks.limits.aws import MAX_SORT_KEY_BYTES
from mcp_tasks.limits.waits import FIRST_CHECK, POLL_INTERVAL
from mcp_tasks.tasks.documents import document_of_request, input_request_of, progress_of
from mcp_tasks.tasks.errors import DamagedCounter, UnreadableItem
from mcp_tasks.tasks.json_values import flag, integer, list_of, mapping, moment, span, text
from mcp_tasks.tasks.model import JSON, Holding, OutcomeKind, RunLease, State, Task

Item: TypeAlias = dict[str, Any]
"""Attributes by name, as DynamoDB writes them: `{"PK": {"S": "acme#ada"}}`."""

SYSTEM: Final = "!"
"""The partition of items that belong to no tenant; no tenant's name is encoded as this in a key."""

LIVE_SHARDS: Final = 4

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def primary_key(owner: str, kind: str, *names: str | int) -> Item:
    """Return the primary key of the item `kind#name#...` in an owner's partition."""
    return {"PK": {"S": owner}, "SK": {"S": "#".join((kind, *map(str, names)))}}


def can_exist(key: Mapping[str, Any]) -> bool:
    """Return whether DynamoDB can store such a key: an id that a client sends may be any text of any length."""
    sort_key: str = key["SK"]["S"]
    return sort_key.isascii() and len(sort_key) <= MAX_SORT_KEY_BYTES


def epoch(moment: datetime) -> Item:
    """Return a time as a number attribute: seconds since 1970, to the microsecond."""
    return {"N": f"{moment.timestamp():.6f}"}


def expiry_attributes(until: datetime) -> Item:
    """Return the attributes by which an item expires at `until`, and not earlier."""
    return {"expiresAt": {"N": str(math.ceil(until.timestamp()))}, "goneAt": epoch(until)}


def expires_at(item: Mapping[str, Any]) -> datetime:
    """Return when the item expires; raises `UnreadableItem`."""
    return Fields.of(item).required("goneAt", from_epoch)


def from_epoch(attribute: Item) -> datetime:
    """Return the time that `epoch` wrote; raises `ValueError` and the like."""
    # Added, since `fromtimestamp` leaves what is too large to the platform, which fails as it likes.
    return EPOCH + timedelta(seconds=float(attribute["N"]))


def count_in(item: Mapping[str, Any], name: str) -> int:
    """Return what a counter's attribute says, 0 where it is absent; raises `DamagedCounter`."""
    try:
        return Fields.of(item).optional(name, integer_attribute, 0) if name in item else 0
    except UnreadableItem:
        # A subject, which its partition may name, is named in audit records alone.
        tenant = item["PK"]["S"].partition("#")[0]
        raise DamagedCounter(name_of(item), f"of {tenant} cannot be read: {name} does not fit") from None


def owner_and_id(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the item's partition and the first name in its sort key, which for a task is its id."""
    return item["PK"]["S"], item["SK"]["S"].split("#")[1]


def item_of(owner_key: str, task: Task) -> Item:
    """Return the item that stores a task, without the attributes of live tasks (`alive`)."""
    return {
        **primary_key(owner_key, "task", task.id),
        **expiry_attributes(task.expires_at),
        **changing(task),
        "tool": {"S": task.tool},
        **({} if task.tool_version is None else {"toolVersion": {"S": task.tool_version}}),
        **({} if task.trace is None else {"trace": {"S": task.trace}}),
        "machine": {"S": task.machine},
        "createdAt": {"S": task.created_at.isoformat()},
        "ttl": _seconds(task.ttl),
        "timeout": _seconds(task.timeout),
        "pollInterval": _seconds(task.poll_interval),
        **({} if task.expected is None else {"expected": _seconds(task.expected)}),
        **({} if task.not_before is None else {"notBefore": {"S": task.not_before.isoformat()}}),
        "request": _json(
            {
                "progressToken": task.progress_token,
                "session": task.session,
                "scopes": sorted(task.scopes),
                **({} if task.actor is None else {"actor": task.actor}),
                **({} if task.client_id is None else {"client": task.client_id}),
                **({} if task.plan is None else {"plan": task.plan}),
                "abilities": sorted(task.client_capabilities),
            }
        ),
    }


def changing(task: Task) -> Item:
    """Return the attributes that a transition may change; the others are written once, when the task is created."""
    outcome_kind = {} if task.outcome_kind is None else {"ending": {"S": task.outcome_kind}}
    token = {} if task.task_token is None else {"taskToken": {"S": task.task_token}}
    sleep = {} if task.wakes_at is None else {"wakesAt": task.wakes_at.isoformat()}
    start = {} if task.started_at is None else {"startedAt": task.started_at.isoformat()}
    end = {} if task.expected_at is None else {"expectedAt": task.expected_at.isoformat()}
    details = {
        "note": task.status_message,
        "progress": task.progress and asdict(task.progress),
        "questions": [document_of_request(input_request) for input_request in task.input_requests],
        "asked": task.requested,
        "askedAt": task.requested_at and task.requested_at.isoformat(),
        "resumedAt": task.resumed_at and task.resumed_at.isoformat(),
        "earlierTokens": task.earlier_tokens,
        **sleep,
        **start,
        **end,
    }
    return {
        "state": {"S": task.status},  # release 0.3 knows no queue: to it, a queued task is one that works
        "version": {"N": str(task.version)},
        "updatedAt": {"S": task.updated_at.isoformat()},
        "details": _json(details),
        **outcome_kind,
        **token,
        **holding_attribute(task.holding),
    }


def holding_attribute(holding: Holding) -> Item:
    """Return the attribute of what a task holds, none where that is nothing.

    Release 0.3 leaves it as it is, also when it ends the task: the next write here, or the stream, gives that back.
    """
    flags = {"active": holding.active or None, "suspended": holding.suspended or None}
    named = {**flags, "slot": holding.slot, "queue": holding.queue}
    held = {name: value for name, value in named.items() if value is not None}
    return {"holding": _json(held)} if held else {}


def lease_attribute(lease: RunLease | None) -> Item:
    """Return the attribute of the lease of a task's run, none where it has none."""
    if lease is None:
        return {}
    return {"lease": _json({"run": lease.run, "number": lease.number, "until": lease.until.isoformat()})}


def alive(task: Task) -> Item:
    """Return the attributes of a live task, which put it on the sparse index that the sweep reads."""
    shard = crc32(task.id.encode()) % LIVE_SHARDS
    return {"liveShard": {"S": str(shard)}, "checkAt": epoch(task.created_at + FIRST_CHECK)}


def task_of(item: Mapping[str, Any]) -> Task:
    """Return the task in an item of the table or an image in its stream, of this release or an older one.

    Raises `UnreadableItem` where the item is damaged.
    """
    fields = Fields.of(item)
    details, request = fields.document("details"), fields.document("request")
    created_at = fields.required("createdAt", moment_attribute)
    ttl = fields.optional("ttl", _seconds_of, expires_at(item) - created_at)
    stored_state = fields.required("state", lambda attribute: State(attribute["S"]))
    input_requests = details.optional("questions", list_of(input_request_of), ())
    holding = holding_of(item)
    queued = stored_state is State.WORKING and holding.queue is not None and not input_requests
    state = State.QUEUED if queued else stored_state
    return Task(
        id=owner_and_id(item)[1],
        tool=fields.required("tool", string_attribute),
        tool_version=fields.optional("toolVersion", string_attribute, None),
        trace=fields.optional("trace", string_attribute, None),
        expected=fields.optional("expected", _seconds_of, None),
        expected_at=details.optional("expectedAt", moment, None),
        not_before=fields.optional("notBefore", moment_attribute, None),
        machine=fields.required("machine", string_attribute),
        created_at=created_at,
        updated_at=fields.optional("updatedAt", moment_attribute, created_at),
        ttl=ttl,
        timeout=fields.optional("timeout", _seconds_of, ttl),
        poll_interval=fields.optional("pollInterval", _seconds_of, POLL_INTERVAL),
        state=state,
        version=fields.required("version", integer_attribute),
        status_message=details.optional("note", text, None),
        progress=details.optional("progress", progress_of, None),
        input_requests=input_requests,
        requested=details.optional("asked", list_of(text), ()),
        requested_at=details.optional("askedAt", moment, None),
        resumed_at=details.optional("resumedAt", moment, None),
        wakes_at=details.optional("wakesAt", moment, None),
        started_at=details.optional("startedAt", moment, None),
        holding=holding,
        task_token=fields.optional("taskToken", string_attribute, None),
        earlier_tokens=details.optional("earlierTokens", list_of(text), ()),
        progress_token=request.optional("progressToken", _token, None),
        session=request.optional("session", text, None),
        scopes=frozenset(request.optional("scopes", list_of(text), ())),
        actor=request.optional("actor", mapping, None),
        client_id=request.optional("client", text, None),
        plan=request.optional("plan", text, None),
        client_capabilities=frozenset(request.optional("abilities", list_of(text), ())),
        outcome_kind=_outcome_kind(fields, state),
        launched="launched" in item,
        lease=_lease(fields.document("lease")) if "lease" in item else None,
    )


def _lease(fields: Fields) -> RunLease:
    return RunLease(
        run=fields.required("run", text),
        number=fields.required("number", integer),
        until=fields.required("until", moment),
    )


def holding_of(item: Mapping[str, Any]) -> Holding:
    """Return what the task in an item holds; raises `UnreadableItem`."""
    fields = Fields.of(item).document("holding")
    return Holding(
        active=fields.optional("active", flag, False),
        slot=fields.optional("slot", integer, None),
        queue=fields.optional("queue", integer, None),
        suspended=fields.optional("suspended", flag, False),
    )


def _outcome_kind(fields: Fields, state: State) -> OutcomeKind | None:
    """Return the kind of outcome, which a task has exactly if it is finished."""
    if state is State.FINISHED:
        return fields.required("ending", lambda attribute: OutcomeKind(attribute["S"]))
    return fields.optional("ending", _nothing, None)


def _nothing(attribute: Item) -> None:
    raise ValueError


def _token(value: JSON) -> str | int:
    return value if isinstance(value, str) else integer(value)


def _json(value: JSON) -> Item:
    # ASCII, because text from clients may hold half a surrogate pair, which JSON can escape and DynamoDB rejects.
    return {"S": json.dumps(value, separators=(",", ":"))}


def _seconds(span: timedelta) -> Item:
    return {"N": f"{span.total_seconds():.6f}"}


def _seconds_of(attribute: Item) -> timedelta:
    return span(attribute["N"])
