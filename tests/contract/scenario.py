"""A task that requests input from its client twice, driven step by step, and the invariants of each step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Protocol

from mcp_tasks import Accepted, Context, Elicit, Form, ListRoots, tool
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.tasks.model import JSON, InputResponse, State, Task
from mcp_tasks.tasks.transitions import TRANSITIONS, is_final
from tests.cloud import Cloud
from tests.contract.aws_environment import AwsEnvironment
from tests.contract.memory_environment import MemoryEnvironment
from tests.contract.process import Fuse, Process
from tests.contract.step_functions import ARN, Machine, Place
from tests.kit import ADA, FixedClock

SESSION = "s"
CLIENT_CAPABILITIES = frozenset({"elicitation.form", "roots"})
NAME = InputResponse(result={"action": "accept", "content": {"name": "Ada"}})
ROOTS = InputResponse(result={"roots": [{"uri": "file:///home"}]})
ANSWERS: Mapping[str, InputResponse] = {"name": NAME, "roots": ROOTS, "more": ROOTS}

ALL_RECONCILERS = "work stream sweep updates client work client work updates stream"
"""Every path that reconciles, and a client that answers whatever it is asked, in an order that ends the task."""


class Name(Form):
    name: str


def order_tool(drawn: list[str]) -> Tool:
    """Return a tool that draws something, asks two things at once and then one more."""

    @tool(tasks="always", timeout=timedelta(minutes=5))
    def order(context: Context, minutes: int) -> str:
        """Do the work."""
        timeout = timedelta(minutes=minutes)
        context.step("draw", lambda: drawn.append(str(context.task_id)))
        requests = Elicit("Who?", Name, key="name"), ListRoots(key="roots", timeout=timeout, default=[])
        name, roots = context.gather(*requests)
        more = context.list_roots(key="more", timeout=2 * timeout, default=[])
        return f"{isinstance(name, Accepted)} {len(roots)} {len(more)}"

    return order


class Environment(Protocol):
    """The state that all processes share, on AWS or in memory, and what happens to it from outside."""

    @property
    def clock(self) -> FixedClock: ...
    def process(self, fuse: Fuse | None = None) -> Process: ...
    def stored(self) -> list[tuple[str, Task]]: ...
    def counted(self) -> int: ...
    def executions(self) -> dict[str, str]: ...
    def histories(self) -> list[list[Task]]: ...
    def responses(self) -> list[tuple[str, JSON]]: ...
    def forget(self, task: Task, owner_key: str) -> None: ...
    def deliver_stream(self, process: Process) -> None: ...
    def deliver_status_changes(self, process: Process) -> None: ...
    def sweep(self, process: Process) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One task of Ada's, the state machine that runs it, and the tool behind it."""

    environment: Environment
    machine: Machine
    order: Tool
    drawn: list[str]

    @classmethod
    def on_aws(cls, aws: Cloud, clock: FixedClock) -> "Scenario":
        drawn: list[str] = []
        made, machine = order_tool(drawn), Machine(clock=clock)
        environment = AwsEnvironment(aws=aws, clock=clock, machine=ARN, states=machine, tool=made)
        return cls(environment=environment, machine=machine, order=made, drawn=drawn)

    @classmethod
    def in_memory(cls, clock: FixedClock) -> "Scenario":
        drawn: list[str] = []
        made, machine = order_tool(drawn), Machine(clock=clock)
        environment = MemoryEnvironment(clock=clock, machine=machine, tools=Toolbox([made]))
        return cls(environment=environment, machine=machine, order=made, drawn=drawn)

    # --- how far it came

    def started(self, minutes: int = 10, process: Process | None = None) -> Task:
        """Start a task whose request for roots expires after so many minutes; that for a name has no timeout."""
        process = process or self.environment.process()
        return process.tasks.start(
            ADA,
            self.order,
            {"minutes": minutes},
            session=SESSION,
            client_capabilities=CLIENT_CAPABILITIES,
            ttl=timedelta(hours=1),
        )

    def input_requested(self) -> Task:
        task = self.started()
        self.step(self.environment.process())
        return task

    def suspended(self) -> Task:
        task = self.input_requested()
        self.step(self.environment.process())
        return task

    def answered(self) -> Task:
        """Return a suspended task that was answered in full."""
        task = self.suspended()
        self.client(self.environment.process())
        return task

    def current(self) -> Task:
        """Return the task as it is now."""
        ((_, task),) = self.environment.stored()
        return task

    # --- who does something

    def step(self, process: Process) -> None:
        """Let Step Functions do what comes next."""
        for name in self.machine.executions:
            self.machine.step(name, run=process.runner.run, suspend=process.suspension.suspend)

    def work(self, process: Process) -> None:
        """Let Step Functions go on for as long as there is something to do."""
        for _ in range(6):
            self.step(process)

    def client(self, process: Process) -> None:
        """Answer every input request of every task, as a client does that polls its tasks."""
        for _, task in self.environment.stored():
            process.suspension.answer(ADA, task.id, ANSWERS)

    def reconcile(self, names: str) -> None:
        """Run these parts in their order, each in a process of its own."""
        parts = {
            "stream": self.environment.deliver_stream,
            "sweep": self.environment.sweep,
            "updates": self.environment.deliver_status_changes,
            "work": self.work,
            "client": self.client,
        }
        for name in names.split():
            parts[name](self.environment.process())

    # --- what must hold

    def check(self, *, crashes: int = 0) -> None:
        """Demand what must hold whenever all is reconciled."""
        histories = self.environment.histories()
        for history in histories:
            for task in history:
                check_version(task)
            for before, after in pairwise(history):
                check_transition(before, after)
        check_responses(self.environment.responses())
        tasks = [task for _, task in self.environment.stored()]
        for task in tasks:
            self._check_work(task)
        listed = self.environment.process().tasks.ports.tasks.awaiting_input(ADA.owner_key, SESSION)
        assert list(listed) == sorted(task.id for task in tasks if task.state is State.INPUT_REQUIRED)
        assert self.environment.counted() == sum(not is_final(task) for task in tasks), "miscounted"
        assert len(self.drawn) <= len(histories) + crashes, "done twice"

    def _check_work(self, task: Task) -> None:
        execution = self.machine.executions[task.id]
        if is_final(task):
            assert execution.status != "RUNNING" or execution.place is not Place.WAIT, "waits for nobody"
        else:
            assert execution.status == "RUNNING", "nobody works on it"
            waits = execution.place is Place.WAIT
            assert not waits or execution.token in task.tokens, "waits for a token that nobody has"
            assert not waits or task.state is State.INPUT_REQUIRED, "waits although it was answered"

    def check_over(self) -> None:
        """Demand that everything has come to its end."""
        assert all(is_final(task) for _, task in self.environment.stored()), "not over"
        assert "RUNNING" not in self.environment.executions().values(), "works for nobody"


def check_version(task: Task) -> None:
    """Assert the invariants of a task."""
    assert task.state is not State.INPUT_REQUIRED or (task.input_requests and task.tokens), "asks nothing, or for ever"
    assert not (is_final(task) and task.input_requests), "asks when it is over"
    assert len(set(task.requested)) == len(task.requested), "requested twice"
    assert {each.key for each in task.input_requests} <= set(task.requested), "not in requested"


def check_transition(before: Task, after: Task) -> None:
    """Assert that a change was a legal transition, and that no input request was repeated or changed."""
    assert after.version == before.version + 1
    possible = set(TRANSITIONS[before.state].values())
    # A task is started in the write that would queue it, where a slot is free.
    possible |= {State.WORKING} if State.QUEUED in possible else set()
    assert after.state in possible, "no such move"
    assert after.requested[: len(before.requested)] == before.requested, "requested is rewritten"
    known = {each.key: each for each in before.input_requests}
    for input_request in after.input_requests:
        assert input_request.key in known or input_request.key not in before.requested, "requested again"
        assert known.get(input_request.key, input_request) == input_request, "another input request under the same key"


def check_responses(responses: Sequence[tuple[str, JSON]]) -> None:
    """Demand that no response was ever overwritten by another."""
    kept: dict[str, JSON] = {}
    for name, response in responses:
        assert kept.setdefault(name, response) == response, "answered twice"
