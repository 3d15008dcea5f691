"""Some hours of sweeps over live tasks whose work takes days, of some of which the work is lost without a word."""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from mcp_tasks import tool
from mcp_tasks.engine.lifecycle import TaskService, new_task_id
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.aws import MAX_SWEPT
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.kit import ADA, FixedClock, memory_ports, plan_of
from tests.sweep.region import StepFunctions, Table

HOUR: Final = timedelta(hours=1)
HOURS: Final = 4


@tool(timeout=timedelta(days=5), machine="load_warehouse")
def load() -> str:
    """Work for days, and report nothing: nobody can tell from the table that all is well."""
    return "loaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was seen: the longest gap between two looks at a task, and the longest time that lost work stayed so."""

    gap: timedelta
    found: timedelta
    sweep: timedelta
    described: int
    listed: int

    def __str__(self) -> str:
        minutes = [f"{each / timedelta(minutes=1):6.1f}" for each in (self.gap, self.found, self.sweep)]
        calls = [f"{each / HOURS / 3600:5.2f}" for each in (self.described, self.listed)]
        return "  ".join([*minutes, *calls])


class Hours:
    """The hours: tasks are created, work is lost, and sweeps come."""

    def __init__(self, live: int, *, over: timedelta, lost: float) -> None:
        """Have so many tasks created over some time, of which a share is lost, a half of it before it starts."""
        self.clock, self.random = FixedClock(), random.Random(live)
        self.machine, self.table = StepFunctions(self.clock), Table(self.clock)
        ports = memory_ports(self.clock, executor=self.machine, plan=plan_of(live + 1))
        ports = replace(ports, tasks=self.table, backlog=self.table, queue=self.table)
        tasks = TaskService(ports=ports)
        self.reconciler = Reconciler(tasks=tasks, ports=ports)
        self.began = self.clock.now()
        model = tasks.start(ADA, load, {}, ttl=timedelta(days=7))
        self.tasks = [self._add(model, self.began + over * number / live) for number in range(live)]
        self.lost = {task.id: self._lose(task) for task in self.random.sample(self.tasks, int(live * lost))}
        for task in self.tasks:
            if self.lost.get(task.id) != task.created_at:
                self.machine.executions[task.id] = Execution.RUNNING

    def pass_by(self) -> Figures:
        """Let the hours pass."""
        longest = timedelta()
        ends = sorted((at, task_id) for task_id, at in self.lost.items() if task_id in self.machine.executions)
        for number in range(1, HOURS * int(HOUR / BETWEEN_SWEEPS)):
            self.clock.advance(max(self.began + number * BETWEEN_SWEEPS - self.clock.now(), timedelta()))
            while ends and ends[0][0] <= self.clock.now():
                self.machine.executions[ends.pop(0)[1]] = Execution.ENDED
            sweep_began = self.clock.now()
            self.reconciler.sweep(limit=MAX_SWEPT)
            longest = max(longest, self.clock.now() - sweep_began)
        return Figures(
            gap=max(map(self._longest_gap, self.tasks)),
            found=max((self._found(task_id) - at for task_id, at in self.lost.items()), default=timedelta()),
            sweep=longest,
            described=self.machine.descriptions.calls,
            listed=self.machine.lists.calls,
        )

    def _add(self, model: Task, at: datetime) -> Task:
        task = replace(model, id=new_task_id(at), created_at=at, updated_at=at)
        self.table.add(ADA.owner_key, model, task)
        return task

    def _lose(self, task: Task) -> datetime:
        """Return when the task's work is lost: as it is created, or in some hours."""
        starts = self.random.random() < 0.5
        return task.created_at + starts * self.random.uniform(0.1, HOURS - 2) * HOUR

    def _longest_gap(self, task: Task) -> timedelta:
        # Once a task is final nobody looks again.
        end = [] if self._is_final(task.id) else [self.clock.now()]
        looks: list[datetime] = [task.created_at, *self.table.seen.get(task.id, ()), *end]
        gaps: list[timedelta] = [after - before for before, after in pairwise(looks)]
        return max(gaps)

    def _is_final(self, task_id: str) -> bool:
        return is_final(self.table.stored(ADA.owner_key, task_id))

    def _found(self, task_id: str) -> datetime:
        """Return when lost work was started, or its task ended; now if neither was done."""
        started = self.machine.started.get(task_id)
        ended = self.table.stored(ADA.owner_key, task_id)
        if started is not None:
            return started
        return ended.updated_at if is_final(ended) else self.clock.now()
