"""A stage whose tenant `acme` is erased, with something of each kind in its table and bucket."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from local.tenant_data import Erased, TenantData
from mcp_tasks import after, role, subject
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports import Ports
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.events import Resumed
from mcp_tasks.tasks.model import Holding, InputRequest, InputResponse, State, Task
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import DynamoSessions
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, Session
from mcp_tasks.wiring import Wiring
from tests.cloud import BUCKET, TABLE, Cloud, scan
from tests.contract.process import Fuse, crash
from tests.contract.store_actions import RED, SAME, add, finish, move, suspend
from tests.kit import NOON, BusyWaiter, FixedClock, IdleExecutor, a_task
from tests.table_ports import table_ports

LARGE, LARGER = {"text": "x" * 50_000}, {"text": "x" * 60_000}
"""Values that are stored as objects of S3."""
SUSPENSION = "acme! plan#current"
"""The key of the one item that an erasure leaves."""

FORM = {"message": "Refund?", "requestedSchema": {"type": "object", "properties": {}}}
OF_OTHERS = Approval(audience=role("finance"), escalate=after(timedelta(hours=1), subject("bob")))
REFUND = InputRequest(key="refund", method="elicitation/create", params=FORM, approval=OF_OTHERS)
ACCEPTED = Decision(subject="grace", at=NOON, action="accept", channel="approval_decide", digest="d")

WRITES = {"put_item", "update_item", "delete_item", "transact_write_items", "put_object", "delete_object"}


def new_task(**changes: Any) -> Task:
    """Return a task as the service makes them, which waits for a slot until it is stored."""
    return a_task(state=State.QUEUED, holding=Holding(active=True), **changes)


class Stage:
    """The stores of a stage, and the command that erases the tenant `acme`, with calls that a fuse ends."""

    def __init__(self, aws: Cloud, clock: FixedClock, fuse: Fuse | None = None) -> None:
        fuse = fuse or Fuse()
        s3 = fuse.around(aws.s3)
        self.clock, self.executor = clock, IdleExecutor()
        self.table = Table(client=fuse.around(aws.dynamodb), name=TABLE, clock=clock)
        self.store = DynamoTaskStore(table=self.table, payloads=Payloads(client=lambda: s3, bucket=BUCKET))
        self.ports: Ports = table_ports(self.store, clock, executor=self.executor, waiter=BusyWaiter(clock=clock))
        self.plans = PlanItems(table=self.table)
        tasks = Wiring(ports=self.ports).tasks()
        self.data = TenantData(tenant="acme", table=self.table, tasks=tasks, s3=s3, bucket=BUCKET)

    def erase(self) -> Erased:
        return self.data.erase(self.plans)

    def suspend_for_a_while(self) -> None:
        self.plans.write("acme", Grant(suspended=True), replacing=0)
        self.clock.advance(timedelta(minutes=2))

    def fill(self, caller: Caller, *, large: bool = True) -> Task:
        """Store something of each kind for a caller, and return a task that works and could write more."""
        arguments, value = (LARGE, LARGER) if large else ({}, {})
        self._tasks(caller.owner_key)
        self._session(caller.owner_key)
        tenant = caller.owner_key.partition("#")[0]
        self.ports.buckets.take(tenant, "requests", 3, Rate(burst=10, per_second=1))
        self.ports.held_waits.begin(tenant, 5)
        self.ports.change_feed.publish(caller.owner_key, "report://1")
        assert self.ports.durations is not None
        self.ports.durations.add(tenant, "greet", timedelta(seconds=3))
        DynamoTenants(self.table).seen(tenant)
        works = self.store.create(caller.owner_key, new_task(), arguments, key=SAME, plan=Plan(stored_bytes=10**9))
        self.store.record(caller.owner_key, works, "small", 1)
        self.store.record(caller.owner_key, works, "large", value)
        self.store.claim(caller.owner_key, works, "listener")
        waits = new_task()
        self.store.create(caller.owner_key, waits, {}, key=None, plan=Plan(running_tasks=1, subject_share=1))
        return works

    def _tasks(self, owner_key: str) -> None:
        finish(self.store, add(self.store, new_task(), owner_key=owner_key), owner_key=owner_key)
        asks_caller = add(self.store, new_task(session="session"), owner_key=owner_key)
        suspend(self.store, asks_caller, owner_key=owner_key)
        answered = suspend(self.store, add(self.store, new_task(), owner_key=owner_key), owner_key=owner_key)
        move(self.store, answered, Resumed(responses={"colour": RED}), owner_key=owner_key)
        suspend(self.store, add(self.store, new_task(), owner_key=owner_key), REFUND, owner_key=owner_key)
        decided = suspend(self.store, add(self.store, new_task(), owner_key=owner_key), REFUND, owner_key=owner_key)
        accepted = InputResponse(result={"action": "accept"}, decisions=(ACCEPTED,))
        move(self.store, decided, Resumed(responses={"refund": accepted}), owner_key=owner_key)
        gone = add(self.store, new_task(), owner_key=owner_key)
        self.table.delete(Key={"PK": {"S": owner_key}, "SK": {"S": f"task#{gone.id}"}})
        self.store.release(owner_key, gone.id, gone)

    def _session(self, owner_key: str) -> None:
        sessions, until = DynamoSessions(table=self.table), NOON + timedelta(hours=1)
        sessions.save(owner_key, Session(id="session", version="2025-11-25", capabilities={}, expires_at=until))
        sessions.subscribe(owner_key, "session", "report://1", 1, until)
        sessions.attach_task(owner_key, "stream", "task", until)
        sessions.save_attempt(owner_key, "delivery", Attempt(), until)


def stored(aws: Cloud) -> dict[str, Any]:
    """Return all items and objects, whole, by their keys."""
    items = {f"{each['PK']['S']} {each['SK']['S']}": each for each in scan(aws.dynamodb)}
    return items | {key: aws.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in objects(aws)}


def objects(aws: Cloud) -> list[str]:
    """Return the keys of all objects."""
    listed = aws.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return [each["Key"] for page in listed for each in page.get("Contents", ())]


class AtWrite(Fuse):
    """A fuse that counts writes alone, the first being number 0; `calls` are their partitions, where they have one."""

    def __init__(self, burns_at: int | None = None, burn: Callable[[], object] = crash) -> None:
        super().__init__(burn=burn)
        self._burns_at = burns_at

    def around(self, client: Any) -> Any:
        return _AtWrites(client, self)

    def write(self, request: Mapping[str, Any]) -> None:
        self.calls.append(request["Key"]["PK"]["S"] if "TableName" in request and "Key" in request else "")
        if len(self.calls) - 1 == self._burns_at:
            self.burn()


class _AtWrites:
    """A client whose writes are counted."""

    def __init__(self, client: Any, fuse: AtWrite) -> None:
        self._client, self._fuse = client, fuse

    def __getattr__(self, operation: str) -> Any:
        does = getattr(self._client, operation)
        if operation not in WRITES:
            return does

        def write(**request: Any) -> Any:
            self._fuse.write(request)
            return does(**request)

        return write
