"""A fixture of one stored task, which may have requested input and be suspended, with the services that act on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.ports.store import NO_RECORDS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import InputRequest, InputResponse, Outcome, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from tests.kit import ADA, FixedClock, IdleExecutor, memory_ports
from tests.unit.jobs import job


class Crowded(MemoryTaskStore):
    """A store with concurrent writers: one of the `rivals` acts before each write of responses."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.rivals: list[Callable[[], object]] = []
        self._acting = False

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
        plan: Plan = NO_PLAN,
    ) -> Task:
        if responses and self.rivals and not self._acting:
            self._acting = True
            self.rivals.pop()()
            self._acting = False
        return super().write(owner_key, before, after, outcome, responses, plan)


@dataclass(frozen=True, kw_only=True)
class OneTask:
    """One task of Ada's, and the service calls that act on it."""

    clock: FixedClock
    executor: IdleExecutor
    tasks: TaskService
    suspension: Suspension
    reconciler: Reconciler
    rivals: list[Callable[[], object]]
    task: Task

    def current(self) -> Task:
        return self.tasks.get(ADA, self.task.id)

    def request_input(self, *input_requests: InputRequest) -> timedelta:
        return self.suspension.request_input(ADA.owner_key, self.task.id, input_requests)

    def suspend(self, token: str = "token") -> None:
        self.suspension.suspend(ADA.owner_key, self.task.id, token)

    def answer(self, caller: Caller = ADA, /, **responses: InputResponse) -> Task:
        return self.suspension.answer(caller, self.task.id, responses)

    def expire(self) -> Task:
        return self.suspension.expire(ADA.owner_key, self.task.id)

    def response(self, key: str) -> InputResponse | None:
        return self.tasks.ports.tasks.response(ADA.owner_key, self.task.id, key)

    def cancel(self) -> Task:
        return self.tasks.cancel(ADA, self.task.id)


def one_task(
    executor: IdleExecutor | None = None,
    session: str | None = None,
    ttl: timedelta = timedelta(hours=1),
) -> OneTask:
    clock, executor = FixedClock(), executor or IdleExecutor()
    store = Crowded(clock)
    tasks = TaskService(ports=replace(memory_ports(clock, executor=executor), tasks=store, backlog=store, queue=store))
    return OneTask(
        clock=clock,
        executor=executor,
        tasks=tasks,
        suspension=Suspension(tasks=tasks),
        reconciler=Reconciler(tasks=tasks, ports=tasks.ports),
        rivals=store.rivals,
        task=tasks.start(ADA, job, {}, session=session, ttl=ttl),
    )


def with_input_requests(*input_requests: InputRequest, **options: Any) -> OneTask:
    """Return a task that requested this input and is not suspended yet."""
    made = one_task(**options)
    made.request_input(*input_requests)
    return made


def suspended(*input_requests: InputRequest, **options: Any) -> OneTask:
    """Return a task that requested this input and is suspended."""
    made = with_input_requests(*input_requests, **options)
    made.suspend()
    return made
