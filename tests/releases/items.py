"""Items of every kind as this release writes them, kept for the releases after it.

`python -m tests.releases.items` writes them to `RELEASE/items`, one file a kind, in DynamoDB's
JSON: through the real adapters, on moto, at a fixed time.  What lies under an earlier release was written so by that
release's code.
"""

import base64
import json
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from mcp_tasks import role
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.durations import DynamoDurations
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.lease import DynamoLease
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.events import CancelRequested, Finished, InputReceived, Progressed, Resumed, StatusReported
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.inbox import items_of
from mcp_tasks.tasks.model import JSON, Failed, Holding, InputRequest, InputResponse, Progress, Returned, State, Task
from mcp_tasks.tasks.named_plans import Grant
from tests.cloud import BUCKET, TABLE, Cloud, cloud, scan
from tests.contract.store_actions import COLOUR, RED, move, suspend
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task, plan_of

RELEASE: Final = "0.4"
HERE: Final = Path(__file__).parent
LARGE: Final = {"text": "x" * 350 * 1_024}
"""What is kept in the bucket, by every release."""

SESSION_ID: Final = "s"
URI: Final = "docs://one"
ACTOR: Final = {"sub": "ägent", "act": {"sub": "planner"}}
FRESH, MOVING, SUSPENDED, RESUMED, RETURNED, RETURNED_ERROR, FAILED, CANCELLED, DELETED = (
    f"{place:036d}" for place in range(9)
)
STARTED, QUEUED = (f"{place:036d}" for place in (9, 10))
"""Bob's, of which one waits for the other."""

ASKING: Final = f"{11:036d}"
"""Eve's, who is of another tenant."""

ALL: Final = (CANCELLED, FAILED, RETURNED_ERROR, RETURNED, RESUMED, SUSPENDED, MOVING, FRESH)
"""The tasks that were not deleted, the newest first."""


OF_BOB: Final = replace(plan_of(99), running_tasks=1, stored_bytes=1_000)


def write_all(aws: Cloud) -> None:
    """Write items of every kind to an empty table."""
    table = Table(client=aws.dynamodb, name=TABLE, clock=FixedClock())
    _write_tasks(DynamoTaskStore(table=table, payloads=Payloads(client=lambda: aws.s3, bucket=BUCKET)))
    DynamoChangeFeed(table=table).publish(ADA.owner_key, URI)
    DynamoLease(table=table, name="tail").take("holder")
    DynamoBuckets(table=table).take(ADA.tenant, "requests", 7, Rate(burst=10, per_second=1))
    DynamoHeldWaits(table=table).begin(ADA.tenant, 1)
    DynamoDurations(table=table).add(ADA.tenant, "greet", timedelta(seconds=60))
    grant = Grant(plan="gold", overrides={"held_waits": 5}, suspended=True)
    PlanItems(table=table).write(ADA.tenant, grant, replacing=0)
    with patch("secrets.token_bytes", lambda size: bytes(range(size))):
        DynamoKeys(table=table).current()


def _write_tasks(store: DynamoTaskStore) -> None:
    records = InitialRecords(
        steps={"look up": [1, None]}, responses={"name": InputResponse(result={"action": "decline"})}
    )
    _add(store, FRESH, records=records, key=IdempotencyKey(name="order 7", fingerprint="f"))
    moving = _add(store, MOVING, {"document": LARGE})
    store.record(ADA.owner_key, moving, "fetch", {"etag": "ü"})
    store.claim(ADA.owner_key, moving, "listener")
    moving = move(store, moving, Progressed(progress=Progress(progress=1.5, total=3, message="half")))
    move(store, moving, StatusReported(status_message="goes on"))
    also = InputRequest(key="size", method="elicitation/create", params={"message": "?"}, timeout=timedelta(minutes=1))
    move(store, suspend(store, _add(store, SUSPENDED), COLOUR, also), InputReceived(responses={"colour": RED}))
    move(store, suspend(store, _add(store, RESUMED)), Resumed(responses={"colour": RED}))
    move(store, _add(store, RETURNED), Finished(outcome=Returned(result=LARGE)))
    move(
        store,
        _add(store, RETURNED_ERROR),
        Finished(outcome=Returned(result={"content": []}, is_error=True), status_message="no"),
    )
    failed = Failed(code=-32603, message="broken", data={"of": "two"})
    move(store, _add(store, FAILED), Finished(outcome=failed, status_message="broken"))
    move(store, _add(store, CANCELLED), CancelRequested(status_message="enough"))
    store.release(ADA.owner_key, _add(store, DELETED).id)
    _write_approvals(store)
    DynamoInbox(table=store.table).use_link(EVE.tenant, "1" * 32, "n" * 22, NOON + timedelta(hours=1))
    DynamoTenants(store.table).seen(ADA.tenant)
    for task_id in (STARTED, QUEUED):
        task = a_task(id=task_id, state=State.QUEUED, holding=Holding(active=True), actor=ACTOR, tool_version="2")
        store.create(BOB.owner_key, task, {"name": "Bob"}, key=None, plan=OF_BOB)


def _write_approvals(store: DynamoTaskStore) -> None:
    """Write what a task of another tenant's asks of others: one waits, accepted by one of two, and one is decided."""
    theirs = Approval(audience=role("Öl & Gas").but_me(), quorum=2, shown="# Why")
    waiting, decided = (replace(COLOUR, key=key, approval=theirs) for key in ("waiting", "decided"))
    task = a_task(id=ASKING, actor=ACTOR)
    task = store.create(EVE.owner_key, task, {"name": "Eve"}, key=None, plan=plan_of(100))
    task = suspend(store, task, waiting, decided, owner_key=EVE.owner_key)
    yes = Decision(subject="grace", at=NOON, action="accept", channel="approval_decide", digest="d", actor=ACTOR)
    no = replace(yes, subject="heidi", action="decline", actor=None)
    for item in items_of(EVE.owner_key, task):
        DynamoInbox(table=store.table).accept(EVE.tenant, item, yes)
    responses = {"decided": InputResponse(result={"action": "decline"}, decisions=(yes, no))}
    move(store, task, InputReceived(responses=responses), owner_key=EVE.owner_key)


def _add(
    store: DynamoTaskStore, task_id: str, arguments: JSON = None, *, key: IdempotencyKey | None = None, **more: Any
) -> Task:
    task = a_task(
        id=task_id, progress_token=7, session=SESSION_ID, scopes=frozenset({"a"}), client_capabilities=frozenset({"b"})
    )
    return store.create(ADA.owner_key, task, arguments or {"name": "Ada"}, key=key, plan=plan_of(100), **more)


def by_kind(items: list[Item]) -> dict[str, list[Item]]:
    """Return the items by the kind that their sort keys begin with, in the order of their keys."""
    ordered = sorted(items, key=lambda item: (kind_of(item), item["PK"]["S"], item["SK"]["S"]))
    return {kind: list(found) for kind, found in groupby(ordered, kind_of)}


def kind_of(item: Item) -> str:
    """Return what the item's sort key begins with."""
    sort_key: str = item["SK"]["S"]
    return sort_key.partition("#")[0]


def written_now() -> dict[str, list[Item]]:
    """Return what today's code writes, by kind."""
    with cloud() as aws:
        write_all(aws)
        return by_kind(scan(aws.dynamodb))


def kept(release: str, of: str = "") -> dict[str, list[Item]]:
    """Return what a release wrote, by kind."""
    return {file.stem: json.loads(file.read_text(), object_hook=_bytes) for file in _folder(release, of).glob("*.json")}


def _folder(release: str, of: str) -> Path:
    """Return where the items of a release lie, those of a revision below the name of its package."""
    return HERE / release / of / "items"


def put_all(aws: Cloud, release: str) -> None:
    """Fill an empty table with the items of a release, and the bucket with its large values."""
    for items in kept(release).values():
        for item in items:
            aws.dynamodb.put_item(TableName=TABLE, Item=item)
    payloads = Payloads(client=lambda: aws.s3, bucket=BUCKET)
    payloads.put(payloads.pack(ADA.owner_key, MOVING, {"document": LARGE}))
    payloads.put(payloads.pack(ADA.owner_key, RETURNED, {"returned": {"result": LARGE, "is_error": False}}))


def item_at(aws: Cloud, sort_key: str) -> Item:
    """Return the item with this sort key."""
    (found,) = (item for item in scan(aws.dynamodb) if item["SK"]["S"] == sort_key)
    return found


def put(aws: Cloud, item: Item) -> None:
    """Put an item as it is, whatever release wrote it."""
    aws.dynamodb.put_item(TableName=TABLE, Item=item)


def _bytes(attribute: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64decode(attribute["B"])} if attribute.keys() == {"B"} else attribute


def keep(items: dict[str, list[Item]], of: str = "") -> None:
    """Write this release's items."""
    folder = _folder(RELEASE, of)
    folder.mkdir(parents=True, exist_ok=True)
    for kind, found in items.items():
        text = json.dumps(found, indent=1, sort_keys=True, default=lambda data: base64.b64encode(data).decode())
        (folder / f"{kind}.json").write_text(text + "\n")


if __name__ == "__main__":
    keep(written_now())
