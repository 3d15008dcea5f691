"""Converts tasks to DynamoDB items and back, and builds the table's keys; pure, no I/O.

One table holds everything.  PK is the owner: a caller's owner key, a tenant, or the system.  SK is `<kind>#<name>`.
Every item carries its expiry twice: `expiresAt` in whole seconds, for DynamoDB's TTL, which deletes it hours or days
late; and `goneAt`, exact, from which on every read here treats the item as deleted.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias, TypeVar
from zlib import crc32

from mcp_tasks.limits.aws import MAX_SORT_KEY_BYTES
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.tasks.model import JSON, InputRequest, OutcomeKind, Progress, State, Task

T = TypeVar("T")
Item: TypeAlias = dict[str, Any]
"""Attributes by name, as DynamoDB writes them: `{"PK": {"S": "acme#ada"}}`."""

SYSTEM: Final = "!"
"""The partition of items that belong to no tenant; no tenant's name is encoded as this in a key."""

LIVE_SHARDS: Final = 4


def primary_key(owner: str, kind: str, *names: str | int) -> Item:
    """Return the primary key of the item `kind#name#...` in an owner's partition."""
    return {"PK": {"S": owner}, "SK": {"S": "#".join((kind, *map(str, names)))}}


def can_exist(key: Mapping[str, Any]) -> bool:
    """Return whether DynamoDB can store such a key: an id that a client sends may be any text of any length."""
    sort_key: str = key["SK"]["S"]
    return sort_key.isascii() and len(sort_key) <= MAX_SORT_KEY_BYTES


def tenant_of(owner_key: str) -> str:
    """Return the tenant of an owner key: the partition of what its callers share."""
    return owner_key.partition("#")[0]


def epoch(moment: datetime) -> Item:
    """Return a time as a number attribute: seconds since 1970, to the microsecond."""
    return {"N": f"{moment.timestamp():.6f}"}


def lifetime(until: datetime) -> Item:
    """Return the attributes by which an item expires at `until`, and not earlier."""
    return {"expiresAt": {"N": str(math.ceil(until.timestamp()))}, "goneAt": epoch(until)}


def ends_at(item: Mapping[str, Any]) -> datetime:
    """Return when the item expires."""
    return datetime.fromtimestamp(float(item["goneAt"]["N"]), UTC)


def owner_and_id(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the item's partition and the first name in its sort key, which for a task is its id."""
    return item["PK"]["S"], item["SK"]["S"].split("#")[1]


def item_of(owner_key: str, task: Task) -> Item:
    """Return the item that stores a task, without the attributes of live tasks (`alive`)."""
    return {
        **primary_key(owner_key, "task", task.id),
        **lifetime(task.expires_at),
        **changing(task),
        "tool": {"S": task.tool},
        "machine": {"S": task.machine},
        "createdAt": {"S": task.created_at.isoformat()},
        "ttl": _seconds(task.ttl),
        "timeout": _seconds(task.timeout),
        "pollInterval": _seconds(task.poll_interval),
        "request": _json(
            {
                "progressToken": task.progress_token,
                "session": task.session,
                "scopes": sorted(task.scopes),
                "abilities": sorted(task.client_capabilities),
            }
        ),
    }


def changing(task: Task) -> Item:
    """Return the attributes that a transition may change; the others are written once, when the task is created."""
    outcome_kind = {} if task.outcome_kind is None else {"ending": {"S": task.outcome_kind}}
    token = {} if task.task_token is None else {"taskToken": {"S": task.task_token}}
    details = {
        "note": task.status_message,
        "progress": task.progress and asdict(task.progress),
        "questions": [_plain(input_request) for input_request in task.input_requests],
        "asked": task.requested,
        "askedAt": task.requested_at and task.requested_at.isoformat(),
        "resumedAt": task.resumed_at and task.resumed_at.isoformat(),
        "earlierTokens": task.earlier_tokens,
    }
    return {
        "state": {"S": task.state},
        "version": {"N": str(task.version)},
        "updatedAt": {"S": task.updated_at.isoformat()},
        "details": _json(details),
        **outcome_kind,
        **token,
    }


def alive(task: Task) -> Item:
    """Return the attributes of a live task, which put it on the sparse index that the sweep reads."""
    shard = crc32(task.id.encode()) % LIVE_SHARDS
    return {"liveShard": {"S": str(shard)}, "checkAt": epoch(task.created_at + FIRST_CHECK)}


def task_of(item: Mapping[str, Any]) -> Task:
    """Return the task stored in an item of the table or an image in its stream, of this release or an older one."""
    details, request = json.loads(item["details"]["S"]), json.loads(item["request"]["S"])
    progress, outcome_kind, token = details.get("progress"), item.get("ending"), item.get("taskToken")
    return Task(
        id=owner_and_id(item)[1],
        tool=item["tool"]["S"],
        machine=item["machine"]["S"],
        created_at=datetime.fromisoformat(item["createdAt"]["S"]),
        updated_at=datetime.fromisoformat(item["updatedAt"]["S"]),
        ttl=_timedelta(item["ttl"]),
        timeout=_timedelta(item["timeout"]),
        poll_interval=_timedelta(item["pollInterval"]),
        state=State(item["state"]["S"]),
        version=int(item["version"]["N"]),
        status_message=details.get("note"),
        progress=progress and known(Progress, progress),
        input_requests=tuple(_input_request(input_request) for input_request in details.get("questions", ())),
        requested=tuple(details.get("asked", ())),
        requested_at=_moment(details.get("askedAt")),
        resumed_at=_moment(details.get("resumedAt")),
        task_token=token and token["S"],
        earlier_tokens=tuple(details.get("earlierTokens", ())),
        progress_token=request.get("progressToken"),
        session=request.get("session"),
        scopes=frozenset(request.get("scopes", ())),
        client_capabilities=frozenset(request.get("abilities", ())),
        outcome_kind=outcome_kind and OutcomeKind(outcome_kind["S"]),
    )


def known(cls: Callable[..., T], stored: Mapping[str, JSON]) -> T:
    """Return a dataclass made of the stored fields that it declares; fields of a newer release are ignored."""
    names = {field.name for field in fields(cls)}  # type: ignore[arg-type]  # a dataclass
    return cls(**{name: value for name, value in stored.items() if name in names})


def _plain(input_request: InputRequest) -> JSON:
    timeout = {} if input_request.timeout is None else {"timeout": input_request.timeout.total_seconds()}
    return {"key": input_request.key, "method": input_request.method, "params": input_request.params, **timeout}


def _input_request(stored: Mapping[str, JSON]) -> InputRequest:
    timeout = stored.get("timeout")
    return known(InputRequest, {**stored, "timeout": None if timeout is None else timedelta(seconds=timeout)})


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _json(value: JSON) -> Item:
    # ASCII, because text from clients may hold half a surrogate pair, which JSON can escape and DynamoDB rejects.
    return {"S": json.dumps(value, separators=(",", ":"))}


def _seconds(span: timedelta) -> Item:
    return {"N": f"{span.total_seconds():.6f}"}


def _timedelta(attribute: Item) -> timedelta:
    return timedelta(seconds=float(attribute["N"]))
