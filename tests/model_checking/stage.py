"""A stage whose whole state is copied for each move, and compared with all that were seen before."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple

from mcp_tasks import Context, Declined, Form, tool
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.limits.waits import GRACE
from mcp_tasks.ports import Ports
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from tests.contract.process import Crash, Process
from tests.contract.step_functions import ARN, Machine
from tests.kit import FixedClock, memory_ports, tickets

A_WHILE: Final = timedelta(minutes=5)
"""How much time passes at once: more than from one check of a live task to the next."""

PLAN: Final = Plan(active_tasks=4, running_tasks=1, subject_share=1)

EXECUTOR: Final = ("start_execution", "stop_execution", "send_task_success")
WRITES: Final = ("create", "write", "record", "launched", "postpone", "discard", "start_next", *EXECUTOR)
"""The calls of a process that change something outside of it."""


class Name(Form):
    name: str


@cache
def tools(question: str) -> Toolbox:
    """Return the one tool as a release has it, which asks for what this names."""

    @tool(tasks="always", timeout=2 * A_WHILE - GRACE)
    def ask(context: Context) -> str:
        """Do a step, and ask once."""
        drawn = context.step("draw", lambda: 1)
        answer = context.elicit("Who?", Name, key=question, timeout=A_WHILE, default=Declined())
        return f"{drawn} {answer}"

    return Toolbox([ask])


class StillClock(FixedClock):
    """A clock that only a move advances: pauses of the code are no time here."""

    def sleep(self, duration: timedelta) -> None:
        pass


class Change(NamedTuple):
    """A record of the table's stream."""

    owner_key: str
    before: Task | None
    after: Task | None

    @property
    def task_id(self) -> str:
        task = self.after or self.before
        assert task, "something changed"
        return task.id


class StreamedStore(MemoryTaskStore):
    """The store, with its stream: the records that were not delivered yet."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.stream: list[Change] = []

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        self.stream.append(Change(owner_key, before, after))

    def copy(self, clock: Clock) -> "StreamedStore":
        other = StreamedStore(clock)
        other.stream = [*self.stream]
        other._served = {**self._served}
        for (owner_key, _), record in self._records.items():
            other._records.keep(owner_key, replace(record, steps={**record.steps}, responses={**record.responses}))
        return other

    def tasks(self) -> dict[str, tuple[str, Task]]:
        """Return each task with its owner, by id, in the order of their creation."""
        return {record.task.id: (owner_key, record.task) for (owner_key, _), record in self._records.items()}

    def stored(self, owner_key: str, task_id: str) -> tuple[Any, Mapping[str, Any], Mapping[str, Any]]:
        """Return what is stored beside a task: its outcome, its steps and the responses to it."""
        record = self._records[owner_key, task_id]
        return record.outcome, record.steps, record.responses

    def check_at(self, owner_key: str, task_id: str) -> datetime:
        """Return when the sweep is to check a task."""
        return self._records[owner_key, task_id].check_at


@dataclass(slots=True, kw_only=True)
class Stage:
    """All that there is, and how much of each kind may still come; the tool asks for what `question` names."""

    clock: StillClock
    store: StreamedStore
    machine: Machine
    new_tasks: int
    faults: int
    deploys: int
    whiles: int
    question: str = "name"
    delivered: dict[str, Change] = field(default_factory=dict)

    def copy(self) -> "Stage":
        """Return a stage that is as this one, and changes by itself."""
        clock = StillClock(self.clock.now())
        executions = {name: replace(each, tokens=[*each.tokens]) for name, each in self.machine.executions.items()}
        return replace(
            self,
            clock=clock,
            store=self.store.copy(clock),
            machine=Machine(clock=clock, executions=executions),
            delivered={**self.delivered},
        )

    def process(self, lives_for: int | None = None) -> "Running":
        """Return a process that dies after so many writes, if any number is given."""
        return Running(self, lives_for)

    def healthy(self) -> "Stage":
        """Return this stage as one to which nothing comes any more, neither calls nor faults."""
        return replace(self.copy(), new_tasks=0, faults=0, deploys=0, whiles=0, delivered={})

    @property
    def key(self) -> str:
        """What two stages share that are one state: everything but ids, versions and the numbers of tokens."""
        stored = [
            (task, self.store.stored(owner_key, task.id), self.store.check_at(owner_key, task.id))
            for owner_key, task in self.store.tasks().values()
        ]
        executions = [
            (name, each.status, each.place, each.token, each.until, each.timeout)
            for name, each in self.machine.executions.items()
        ]
        left = (self.clock.now(), self.new_tasks, self.faults, self.deploys, self.whiles, self.question)
        said = repr((left, stored, executions, self.store.stream, self.delivered))
        for place, task_id in enumerate(self.store.tasks()):
            said = said.replace(task_id, f"task{place}")
        for place, execution in enumerate(self.machine.executions.values()):
            if execution.token is not None:
                said = re.sub(rf"task\d-{len(execution.tokens) - 1}\b", f"token{place}", said)
        return re.sub(r"task\d-\d+", "an earlier token", re.sub(r" version=\d+,", "", said))


def a_stage(*, new_tasks: int = 1, faults: int = 0, deploys: int = 0, whiles: int = 0) -> Stage:
    """Return an empty stage, to which so much may come."""
    clock = StillClock()
    store, machine = StreamedStore(clock), Machine(clock=clock)
    return Stage(
        clock=clock,
        store=store,
        machine=machine,
        new_tasks=new_tasks,
        faults=faults,
        deploys=deploys,
        whiles=whiles,
    )


class Running:
    """A process of a stage, and what it wrote."""

    def __init__(self, stage: Stage, lives_for: int | None) -> None:
        self.wrote: list[str] = []
        self._lives_for = lives_for
        self.services = Process.of(self._ports(stage), tools(stage.question))

    def _ports(self, stage: Stage) -> Ports:
        clock, store = stage.clock, _Writing(stage.store, self)
        machine = _Writing(stage.machine, self)
        executor = StepFunctionsExecutor(client=lambda: machine, machines={"run_tool": ARN}, tickets=tickets(clock))
        usual = memory_ports(clock, executor=executor, plan=PLAN)
        changed: Mapping[str, Any] = {"tasks": store, "queue": store, "backlog": store}
        return replace(usual, durations=None, **changed)

    def note(self, operation: str) -> None:
        """Note a write, which may be the last one."""
        self.wrote.append(operation)
        if len(self.wrote) == self._lives_for:
            raise Crash


class _Writing:
    """A store or a client whose writes are noted."""

    def __init__(self, of: Any, by: Running) -> None:
        self._of, self._by = of, by

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        does: Callable[..., Any] = getattr(self._of, operation)
        if operation not in WRITES:
            return does

        def noted(*values: Any, **named: Any) -> Any:
            done = does(*values, **named)
            self._by.note(operation)
            return done

        return noted
