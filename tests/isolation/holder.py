"""Somebody who holds the tickets of one task, in a table with the tasks of others; what they reach is recorded."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.adapters.dynamodb.items import SYSTEM
from mcp_tasks.adapters.tenant_role import TenantRole
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.run_host.server import HostServer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wiring import Wiring
from tests.cloud import Cloud
from tests.kit import ADA, BOB, EVE, BusyWaiter, FixedClock, IdleExecutor
from tests.table_ports import store_of, table_ports

TENANT_ROLE = "arn:aws:iam::123456789012:role/tenants"
LARGE = "x" * 400_000
"""More than an item holds, so that it is in the bucket."""


@tool(tasks="always", timeout=timedelta(minutes=5))
def job(text: str) -> str:
    """Return the text."""
    return text


@dataclass(slots=True)
class Reach:
    """The keys of the table and the bucket that calls named, whose sessions they began, and the calls that name none.

    The owner keys here have no characters that a tag cannot have.
    """

    items: set[tuple[str, str]] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    tenants: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    def record(self, params: Mapping[str, Any], model: Any, **_: Any) -> None:
        """Record a call, as botocore hands it to its listeners."""
        keys = list(_keys(params)) or list(_prefix(params))
        self.items.update(keys)
        if "Bucket" in params and "Key" in params:
            self.objects.add(params["Key"])
        elif model.name == "AssumeRole":
            self.tenants.update(tag["Value"] for tag in params["Tags"])
        elif not keys:
            self.others.add(model.name)

    @property
    def kinds(self) -> set[str]:
        """What the keys of the items begin with."""
        return {sort_key.partition("#")[0] for _, sort_key in self.items}

    def beyond(self, owner_key: str, task_id: str) -> set[object]:
        """Return what is not named by the owner and the id of a task.

        What the callers of a tenant share is in its own partition: the counters of its tasks, and the changes of
        resources; what a caller uses of them is in the caller's.  The signing keys are the host's, which needs them for
        the ticket.
        """
        owner, task, tenant = re.escape(owner_key), re.escape(task_id), re.escape(owner_key.partition("#")[0])
        own = (
            rf"{owner} (task|args|result)#{task}|{owner} (step|reply)#{task}#.*|{owner} asks#s#{task}|{owner} using"
            rf"|{owner} rate#run#{task}|{tenant} quota#\d|{tenant} changed#.*|{SYSTEM} key#\d{{4}}-\d\d"
        )
        items = {key for key in self.items if not re.fullmatch(own, " ".join(key), re.DOTALL)}
        objects = {name for name in self.objects if not re.fullmatch(rf"{owner}/{task}/[0-9a-f]{{64}}", name)}
        return items | objects | self.others | (self.tenants - {tenant})


def _keys(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the primary keys in the parameters of a call, wherever they are."""
    if isinstance(value, dict) and {"PK", "SK"} <= value.keys():
        yield value["PK"]["S"], value["SK"]["S"]
    elif isinstance(value, dict):
        yield from (key for each in value.values() for key in _keys(each))
    elif isinstance(value, list):
        yield from (key for each in value for key in _keys(each))


def _prefix(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what all keys begin with that a Query of one partition finds."""
    if params.get("KeyConditionExpression") == "PK = :owner_key AND begins_with(SK, :place)":
        values = params["ExpressionAttributeValues"]
        yield values[":owner_key"]["S"], values[":place"]["S"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The host of runs on the table, and the tickets of one task of `ADA`."""

    aws: Cloud
    clock: FixedClock
    others: tuple[tuple[Caller, Task], ...] = ()

    @classmethod
    def of(cls, aws: Cloud) -> "Holder":
        """Store tasks of the same caller, of a colleague and of another tenant, some of it in the bucket."""
        alone = cls(aws=aws, clock=FixedClock())
        others = [(caller, alone.tasks.start(caller, job, {"text": LARGE})) for caller in (ADA, BOB, EVE)]
        for caller, task in others:
            alone.tasks.record_step(caller.owner_key, task, "s", f"of {caller.subject}")
        return replace(alone, others=tuple(others))

    @property
    def wiring(self) -> Wiring:
        """Return what a process that has just been started is made of: it has read no key yet."""
        store, waiter = store_of(self.aws, self.clock), BusyWaiter(clock=self.clock)
        ports = table_ports(store, self.clock, executor=IdleExecutor(), waiter=waiter)
        role = TenantRole(client=lambda: self.aws.sts, role=TENANT_ROLE, clock=self.clock)
        return Wiring(ports=replace(ports, tenant_access=role))

    @property
    def host(self) -> HostServer:
        """Return the host of runs, in a process of its own."""
        return self.wiring.host_server()

    @property
    def tasks(self) -> TaskService:
        """Return the service of the tasks."""
        return self.wiring.tasks()

    @property
    def tickets(self) -> Tickets:
        """Return what issues tickets."""
        return self.wiring.tickets()

    def task(self, text: str = "small") -> Task:
        """Store one more task of `ADA`: the one whose tickets are held."""
        return self.tasks.start(ADA, job, {"text": text}, session="s", client_capabilities=frozenset({"roots"}))

    def runs(self, task: Task) -> bool:
        """Return whether a run of the task may still do everything."""
        now = self.tasks.get(ADA, task.id)
        return not (is_final(now) or now.input_requests or now.wakes_at)

    def start_ticket(self, task: Task) -> str:
        """Return the start ticket of a task of `ADA`."""
        return self.tickets.for_start(ADA.owner_key, task.id, until=task.expires_at)

    def run_ticket(self, task: Task) -> str:
        """Return a run ticket of a task of `ADA`."""
        return self.tickets.for_run(self.tickets.read_start(self.start_ticket(task)))

    def suspend(self, task: Task) -> None:
        """Suspend the task, as its state machine does after a run that requested input."""
        self.wiring.suspension().suspend(ADA.owner_key, task.id, "token")

    @contextmanager
    def recorded(self) -> Iterator[Reach]:
        """Record what is asked of AWS."""
        reach, clients = Reach(), (self.aws.dynamodb, self.aws.s3, self.aws.states, self.aws.sts)
        for client in clients:
            client.meta.events.register("provide-client-params", reach.record, unique_id="reach")
        try:
            yield reach
        finally:
            for client in clients:
                client.meta.events.unregister("provide-client-params", unique_id="reach")

    def identifiers(self) -> list[JSON]:
        """Return what names the tasks of others, and what might lead to them."""
        found: list[JSON] = []
        for caller, task in self.others:
            owner, key = caller.owner_key, {"PK": {"S": caller.owner_key}, "SK": {"S": f"task#{task.id}"}}
            found += [task.id, owner, f"{owner}#{task.id}", f"{owner}/{task.id}", f"../../{owner}/{task.id}", key]
        return found
