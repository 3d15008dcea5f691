"""Tasks that queue on DynamoDB, and a model of Step Functions that runs their executions."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.adapters.dynamodb.changes import change_of
from mcp_tasks.adapters.dynamodb.items import primary_key, task_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.features.tools import Tool
from mcp_tasks.ports.run_host import RunNotWanted
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from tests.cloud import BUCKET, Cloud, scan, stream
from tests.contract.process import Fuse
from tests.contract.queueing import Tenant, tenant_on
from tests.contract.step_functions import ARN, Machine
from tests.kit import ADA, tickets
from tests.unit.jobs import COLOUR, job


@tool(timeout=timedelta(minutes=14))
def long() -> str:
    """Run for longer than others may wait."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The tasks of Ada's tenant under a plan, and their executions."""

    tenant: Tenant
    aws: Cloud
    machine: Machine
    plan: Plan
    deleted: list[Task] = field(default_factory=list)
    """Those of which the table's TTL deleted the items."""
    runs: list[str] = field(default_factory=list)
    """The ids of the tasks that were run by `work`, in this order."""

    @classmethod
    def of(cls, store: DynamoTaskStore, aws: Cloud, plan: Plan) -> "Scenario":
        clock: Any = store.table.clock
        machine = Machine(clock=clock)
        return cls(tenant=_executing(tenant_on(store, clock, plan), machine), aws=aws, machine=machine, plan=plan)

    def process(self, fuse: Fuse) -> Tenant:
        """Return another process of the same tenant, which dies by the fuse."""
        assert isinstance(self.tenant.store, DynamoTaskStore)
        table = replace(self.tenant.store.table, client=fuse.around(self.aws.dynamodb))
        store = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: self.aws.s3, bucket=BUCKET))
        return _executing(tenant_on(store, self.tenant.clock, self.plan), fuse.around(self.machine))

    def start(self, tool: Tool = job, ttl: timedelta | None = None) -> Task:
        self.tenant.clock.advance(timedelta(milliseconds=2))
        return self.tenant.tasks.start(ADA, tool, {}, ttl=ttl)

    def suspended(self, ttl: timedelta | None = None) -> Task:
        """Return a task whose execution waits for its user, with a token."""
        task = self.start(ttl=ttl)
        self.machine.ran(task.id, timedelta(hours=1))
        self.tenant.ask(task, token=self.machine.send_token(task.id))
        return task

    def ask(self, tenant: Tenant, task: Task) -> None:
        """Have a run of the task end with an input request, and its execution wait, by a process."""

        def run(owner_key: str, task_id: str) -> timedelta:
            return tenant.suspension.request_input(owner_key, task_id, [COLOUR])

        for _ in range(2):
            before = self.read(task)
            self.machine.step(task.id, run=run, suspend=tenant.suspension.suspend)
            tenant.deliver(before, self.read(task))

    def wake_without_a_slot(self, task: Task, *, after: timedelta) -> None:
        """Have a run of the task sleep, and the next one find no slot: its execution is about to wait for one."""

        def sleep(owner_key: str, task_id: str) -> timedelta:
            return self.tenant.suspension.sleep(owner_key, task_id, self.tenant.clock.now() + after)

        before, suspend = self.read(task), self.tenant.suspension.suspend
        self.machine.step(task.id, run=sleep, suspend=suspend)
        self.machine.step(task.id, run=sleep, suspend=suspend)
        self.tenant.deliver(before, self.read(task))
        self.tenant.clock.advance(after)
        self.machine.time_out(task.id)
        self.machine.step(task.id, run=self.run, suspend=suspend)

    def delete(self, task: Task) -> None:
        """Delete an item, as DynamoDB does when its time is over."""
        self.deleted.extend(each for each in self.stored() if each.id == task.id)
        assert isinstance(self.tenant.store, DynamoTaskStore)
        self.tenant.store.table.delete(Key=primary_key(ADA.owner_key, "task", task.id))

    def read(self, task: Task) -> Task:
        return self.tenant.store.read(ADA.owner_key, task.id)

    def stored(self) -> list[Task]:
        return [task_of(item) for item in scan(self.aws.dynamodb) if item["SK"]["S"].startswith("task#")]

    def uncounted(self) -> list[Task]:
        """Return the deleted tasks that are not counted any more."""
        marked = {item["SK"]["S"] for item in scan(self.aws.dynamodb)}
        return [task for task in self.deleted if f"released#{task.id}" in marked]

    def deliver_all(self) -> None:
        """Deliver every record of the table's stream once more."""
        records = [each["dynamodb"] for each in stream(self.aws)]
        for change in [change_of(each) for each in records if each["Keys"]["SK"]["S"].startswith("task#")]:
            self.tenant.reconciler.changed(change.owner_key, change.before, change.after)

    def work(self) -> None:
        """Have Step Functions do all that comes next, by processes that live."""
        for _ in range(3):
            for task_id in list(self.machine.executions):
                self.machine.step(task_id, run=self.run, suspend=self.tenant.suspension.suspend)

    def run(self, owner_key: str, task_id: str) -> timedelta | None:
        self.runs.append(task_id)
        try:
            task = self.tenant.store.read(owner_key, task_id)
            loaded = self.tenant.host(task).load()
        except RunNotWanted:
            return None
        if isinstance(loaded, timedelta):
            return loaded
        self.tenant.finish(task)
        return None


def _executing(tenant: Tenant, states: Any) -> Tenant:
    """Return the tenant with an executor on Step Functions."""
    executor = StepFunctionsExecutor(client=lambda: states, machines={"run_tool": ARN}, tickets=tickets(tenant.clock))
    return replace(tenant, tasks=replace(tenant.tasks, ports=replace(tenant.tasks.ports, executor=executor)))
