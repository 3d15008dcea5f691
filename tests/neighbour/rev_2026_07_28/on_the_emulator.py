"""A modest tenant on the emulator: alone, beside a greedy tenant, and beside a control that burns the same CPU.

The control is the same greedy tenant on another stack, which takes the CPU and the emulator's one process in the same
bursts.  So there are two stacks on one emulator; the phases take turns.
"""

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from local.deploy import deploy
from local.http_client import HttpClient
from local.stack import Stack, running_stack
from mcp_tasks.testing.rev_2026_07_28 import Client
from tests.neighbour.rev_2026_07_28 import greedy, load
from tests.neighbour.rev_2026_07_28.tenants import Figures
from tests.timeout import until

PLAN: Final = {"active_tasks": 100_000, "requests_per_second": 15, "burst": 60, "held_waits": 3, "running_tasks": 4}
CONCURRENCY: Final = {"authorize": 12, "serve_mcp": 12, "await_task": 6, "run_tool": 6}
"""Of the plan of both tenants, and of the functions, in which it leaves room for a second tenant."""

APART: Final = Path(__file__).with_name("app.py")

FLOOD: Final = 40.0
"""Requests a second: more than twice what the plan allows."""

QUEUE: Final = 100
"""How many tasks there are.  The emulator's Query takes 34 microseconds for each item of a partition, whatever its
limit, so that each look at a queue of 10,000 would hold its one process up for a third of a second."""

ROUNDS, CYCLES, EVERY, POLL = 8, 10, 0.8, 0.3
"""How often each phase has its turn, how many requests of each kind are sent in one, every how many seconds, and the
seconds between two looks at a task."""

WARM, SETTLING = 8, 3
"""Cycles that are not counted: at first, and in each turn until all that is beside it has begun."""

ALONE, GREEDY, CONTROL = "alone", "beside a greedy tenant", "beside that of another stack"


@dataclass(slots=True)
class Phase:
    """What was measured in all turns of a phase: `cpu` is what all but the modest client took, in so many `seconds`."""

    figures: Figures = field(default_factory=lambda: {"tools/list": [], "inline call": [], "start of a task": []})
    cpu: float = 0.0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Return the CPU seconds that were taken in a second."""
        return self.cpu / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The phases by name, and what the greedy tenant did in its turns.

    `flood` is how many of its requests were served, refused by the plan, and not answered by the server; `used` the
    most that it was seen to use of its plan.  `refused` is why the modest tenant was not served at once, and how often.
    """

    phases: dict[str, Phase]
    flood: list[int]
    used: Counter[str]
    refused: Counter[str]


class Modest:
    """The tenant whose figures are taken; `refused` are the reasons for which it was not served at once."""

    def __init__(self, stack: Stack) -> None:
        tokens = [stack.token("modest", f"subject {number}") for number in range(2)]
        self._clients = cycle([Client(HttpClient(stack.url, token).send) for token in tokens])
        self.refused = Counter[str]()

    def send_each(self, figures: Figures) -> None:
        """Send one request of each kind."""
        client = next(self._clients)
        for kind, act in (("tools/list", self._list), ("inline call", self._call), ("start of a task", self._start)):
            began = time.time()
            figures[kind].append(1000 * (act(client) - began))

    def _list(self, client: Client) -> float:
        self._result(client, "tools/list")
        return time.time()

    def _call(self, client: Client) -> float:
        self._result(client, "tools/call", name="greet", arguments={})
        return time.time()

    def _start(self, client: Client) -> float:
        """Start a task, and return when it began to run, as its tool says."""
        task_id = self._result(client, "tools/call", name="work", arguments={"seconds": 0})["taskId"]
        while (task := self._result(client, "tasks/get", taskId=task_id))["status"] != "completed":
            time.sleep(POLL)
        return float(task["result"]["content"][0]["text"])

    def _result(self, client: Client, method: str, **params: Any) -> Any:
        """Return a request's result, which takes longer where it is refused at first."""

        def served() -> Any:
            reply = client.send_request(method, params)
            if reply.status == 200 and "result" in reply.message:
                return reply.message["result"]
            error = reply.message.get("error", {}) if reply.messages else {}
            self.refused[error.get("data", {}).get("reason") or str(reply.status)] += 1
            return None

        return until(served)


def measure(rounds: int = ROUNDS, cycles: int = CYCLES) -> Measured:
    """Let all phases take turns, so many times."""
    with _stacks() as (apart, beside):
        return Bench(apart=apart, beside=beside, cycles=cycles).run(rounds)


@contextmanager
def _stacks() -> Iterator[tuple[Stack, Stack]]:
    """Deploy two stacks to one emulator, and yield the one that never hears of the greedy tenant first."""
    with running_stack(tools="tests.neighbour.rev_2026_07_28.tools", plans={"default": PLAN}) as beside:
        shutil.rmtree(beside.emulator.folder / "cdk.out")
        apart = replace(beside, app=APART, outputs=deploy(beside.emulator, APART, beside.settings))
        aws = beside.client("lambda")
        for each in aws.get_paginator("list_functions").paginate().search("Functions"):
            for name, most in CONCURRENCY.items():
                # The emulator's CloudFormation leaves out what is reserved.
                if each["Handler"] == f"functions.{name}.handler.handler":
                    aws.put_function_concurrency(FunctionName=each["FunctionName"], ReservedConcurrentExecutions=most)
        yield apart, beside


class Bench:
    """The two stacks and the phases; the greedy tenant is on the stack `beside`."""

    def __init__(self, *, apart: Stack, beside: Stack, cycles: int) -> None:
        self.apart, self.beside, self.cycles = apart, beside, cycles
        self.modest = {stack.url: Modest(stack) for stack in (apart, beside)}
        self.phases = {name: Phase() for name in (ALONE, GREEDY, CONTROL)}
        self.counts: Any = load.SPAWN.Array("i", 3)
        self.used = Counter[str]()

    def run(self, rounds: int) -> Measured:
        """Warm up, and let the phases take turns."""
        tasks = greedy.start_tasks(self.beside, QUEUE)
        sent = (self.beside.url, greedy.tokens(self.beside), tasks, FLOOD, self.counts)
        for stack in (self.apart, self.beside):
            self._turn(Phase(), stack, (), WARM)
        for _ in range(rounds):
            self._turn(self.phases[ALONE], self.apart)
            with load.running(load.flood, sent) as processes:
                self._turn(self.phases[GREEDY], self.beside, processes)
                self.used |= greedy.used(self.beside)
                self._turn(self.phases[CONTROL], self.apart, processes)
        refused = self.modest[self.beside.url].refused
        return Measured(phases=self.phases, flood=list(self.counts), used=self.used, refused=refused)

    def _turn(self, phase: Phase, stack: Stack, processes: Sequence[int] = (), cycles: int = 0) -> None:
        emulator = [self.beside.emulator.process.pid]
        self._send(stack, Phase(), SETTLING)
        taken, began = load.cpu_seconds(emulator, processes), time.monotonic()
        self._send(stack, phase, cycles or self.cycles)
        phase.cpu += load.cpu_seconds(emulator, processes) - taken
        phase.seconds += time.monotonic() - began

    def _send(self, stack: Stack, phase: Phase, cycles: int) -> None:
        began = time.monotonic()
        for number in range(cycles):
            time.sleep(max(0.0, began + EVERY * number - time.monotonic()))
            self.modest[stack.url].send_each(phase.figures)
