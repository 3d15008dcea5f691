"""The ports of a release in one process of the world."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.queue import DynamoQueue
from mcp_tasks.adapters.dynamodb.storage import TableStorage
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.ports import Ports
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.plan import Plan
from tests.simulation.deployed.outside import Outside

PORTS = tuple(field.name for field in fields(Ports))
LIMITS = tuple(field.name for field in fields(Plan))
"""What this release has of all ports, and of all limits."""

MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:stage-run_tool"


def ports_of(outside: Outside) -> Ports:
    """Return the ports: those that the release has, of all that are known."""
    kept = _in_memory(outside) if outside.dynamodb is None else _in_table(outside)
    known = {
        **kept,
        "clock": outside.clock,
        "executor": _executor(outside),
        "waiter": Pausing(outside),
        "keys": outside.keys,
        "plans": Plans(outside),
        "buckets": outside.faulty(Buckets(outside, kept["buckets"])),
        "held_waits": outside.held_waits,
    }
    return Ports(**{name: known[name] for name in PORTS if name in known})


def _executor(outside: Outside) -> Any:
    tickets = Tickets(signer=Signer(keys=outside.keys, clock=outside.clock))
    machines = StepFunctionsExecutor(client=Client(outside.states), machines={"run_tool": MACHINE}, tickets=tickets)
    if outside.invocations is None:
        return machines
    # A release before may have no such executor.
    from mcp_tasks.adapters.direct import DirectExecutor
    from mcp_tasks.adapters.executor_of_task import ExecutorOfTask
    from mcp_tasks.tasks.model import DIRECT_MACHINE

    direct = DirectExecutor(
        client=Client(outside.invocations), function="run_tool", tickets=tickets, clock=outside.clock
    )
    return ExecutorOfTask(machines={DIRECT_MACHINE}, executor=lambda: direct, others=machines)


def _in_memory(outside: Outside) -> dict[str, Any]:
    memory = outside.memory
    store = outside.faulty(memory.tasks)
    kept = {"tasks": store, "queue": store, "backlog": store, "buckets": memory.buckets}
    kept |= {"change_feed": memory.change_feed, "tenant_access": memory.tenant_access}
    if "inbox" in PORTS:
        kept["inbox"] = lambda: outside.faulty(memory.inbox())
    return {**kept, "storage": FaultyStorage(memory.storage, outside)}


def _in_table(outside: Outside) -> dict[str, Any]:
    table = Table(client=outside.dynamodb, name="tasks", clock=outside.clock, chance=lambda: 1.0)
    payloads = Payloads(client=lambda: outside.objects, bucket="payloads")
    return {
        "tasks": outside.faulty(DynamoTaskStore(table=table, payloads=payloads)),
        "queue": outside.faulty(DynamoQueue(table=table)),
        "backlog": outside.faulty(DynamoBacklog(table=table)),
        "storage": FaultyStorage(TableStorage(table=table), outside),
        "change_feed": DynamoChangeFeed(table=table),
        "buckets": DynamoBuckets(table=replace(table, client=outside.counted_dynamodb)),
        "inbox": lambda: outside.faulty(_inbox(table)),
    }


def _inbox(table: Table) -> Any:
    # A release before has none.
    from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox

    return DynamoInbox(table=table)


@dataclass(frozen=True, slots=True)
class Client:
    """A client that is also what makes it: some releases take the one, and some the other."""

    of: Any

    def __call__(self) -> Any:
        return self.of

    def __getattr__(self, operation: str) -> Any:
        return getattr(self.of, operation)


@dataclass(frozen=True, slots=True)
class FaultyStorage:
    """The state that revisions keep, in stores whose calls meet faults."""

    of: Any
    outside: Outside

    def open(self, *, in_table: Callable[[Any], Any], in_memory: Callable[[Any], Any]) -> Any:
        return self.outside.faulty(self.of.open(in_table=in_table, in_memory=in_memory))


@dataclass(frozen=True, slots=True)
class Plans:
    """The plans of tenants, as the process believes they are."""

    outside: Outside

    def of(self, tenant: str) -> Plan:
        limits = self.outside.limits_of(tenant)
        return Plan(**{name: limits[name] for name in LIMITS if name in limits})


@dataclass(frozen=True, slots=True)
class Buckets:
    """Buckets that the world counts."""

    outside: Outside
    of: Any

    def take(self, owner: str, bucket: str, count: int, rate: Rate, **least: int) -> datetime | None:
        ready: datetime | None = self.outside.take(
            (owner, bucket, count, least.get("least", 1)),
            (rate.per_second, rate.burst),
            lambda: self.of.take(owner, bucket, count, rate, **least),
        )
        return ready

    def left(self, owner: str, bucket: str, rate: Rate) -> Any:
        return self.of.left(owner, bucket, rate)


@dataclass(slots=True)
class Pausing:
    """A waiter whose pauses let simulated time pass, and others act."""

    outside: Outside

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        self.outside.pause(at_most)
        return Waker.POLL
