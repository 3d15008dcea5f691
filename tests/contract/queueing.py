"""A tenant whose tasks queue for slots: starts, answers and ends them as processes do, and counts what runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.features.tools import Tool
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Returned, State, Task
from mcp_tasks.tasks.plan import Plan
from tests.kit import ADA, BusyWaiter, FixedClock, IdleExecutor, memory_ports
from tests.table_ports import table_ports
from tests.unit.jobs import COLOUR, RED, job

DONE = Returned(result={"content": []})


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """The tenant of Ada and Bob, under a plan."""

    store: TaskStore
    clock: FixedClock
    executor: IdleExecutor
    tasks: TaskService

    def start(self, caller: Caller = ADA, tool: Tool = job, **arguments: Any) -> Task:
        self.clock.advance(timedelta(milliseconds=2))
        return self.tasks.start(caller, tool, arguments)

    def read(self, task: Task, caller: Caller = ADA) -> Task:
        return self.tasks.get(caller, task.id)

    def finish(self, task: Task, caller: Caller = ADA) -> None:
        """Finish a task, and deliver the record of that."""
        before = self.store.read(caller.owner_key, task.id)
        after = self.tasks.finish(caller.owner_key, task.id, DONE)
        self.deliver(before, after, caller)

    def cancel(self, task: Task, caller: Caller = ADA) -> None:
        before = self.store.read(caller.owner_key, task.id)
        self.deliver(before, self.tasks.cancel(caller, task.id), caller)

    def ask(self, task: Task, caller: Caller = ADA, *, token: str | None = None) -> None:
        """Suspend a task for input, by the task token of its execution."""
        before = self.store.read(caller.owner_key, task.id)
        self.suspension.request_input(caller.owner_key, task.id, [COLOUR])
        asked = self.store.read(caller.owner_key, task.id)
        self.deliver(before, asked, caller)
        self.suspension.suspend(caller.owner_key, task.id, token or f"token of {task.id}")
        self.deliver(asked, self.store.read(caller.owner_key, task.id), caller)

    def answer(self, task: Task, caller: Caller = ADA) -> Task:
        self.suspension.answer(caller, task.id, {"colour": RED})
        return self.store.read(caller.owner_key, task.id)

    def deliver(self, before: Task | None, after: Task | None, caller: Caller = ADA) -> None:
        self.reconciler.changed(caller.owner_key, before, after)

    def host(self, task: Task, caller: Caller = ADA) -> TaskHost:
        return TaskHost(tasks=self.tasks, owner_key=caller.owner_key, task_id=task.id)

    def running(self, *callers: Caller) -> list[str]:
        """Return the ids of the tasks that run, of all of these callers, in the order of their creation."""
        found = [task for caller in callers or (ADA,) for task in self.tasks.page(caller, before=None, limit=999)[0]]
        return sorted(task.id for task in found if task.state is State.WORKING and task.holding.slot is not None)

    def under(self, plan: Plan) -> "Tenant":
        ports = replace(self.tasks.ports, plans=FixedPlans(plan=plan))
        return replace(self, tasks=replace(self.tasks, ports=ports))

    @property
    def suspension(self) -> Suspension:
        return Suspension(tasks=self.tasks)

    @property
    def reconciler(self) -> Reconciler:
        return Reconciler(tasks=self.tasks, ports=self.tasks.ports)


def tenant_on(store: TaskStore, clock: FixedClock, plan: Plan) -> Tenant:
    executor = IdleExecutor()
    if isinstance(store, MemoryTaskStore):
        ports = replace(memory_ports(clock, executor=executor, plan=plan), tasks=store, backlog=store, queue=store)
    else:
        assert isinstance(store, DynamoTaskStore)
        ports = table_ports(store, clock, executor=executor, waiter=BusyWaiter(clock=clock), plan=plan)
    return Tenant(store=store, clock=clock, executor=executor, tasks=TaskService(ports=ports))


def counted(items: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the sums of the counters of tenants and of subjects; none of them is ever below zero."""
    names = ("active", "running", "queued", "suspended")
    sums = dict.fromkeys((*names, *(f"using.{name}" for name in names)), 0)
    for item in items:
        kind = item["SK"]["S"].partition("#")[0]
        for name in names:
            if kind in ("quota", "using") and name in item:
                number = int(item[name]["N"])
                assert number >= 0
                sums[name if kind == "quota" else f"using.{name}"] += number
    return sums
