"""The world of one story: what all processes share, how a process is wired, and how faults and other actors come in."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from typing import Any

from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.authoring.context import Context
from mcp_tasks.engine.limits import Limits
from mcp_tasks.features.listing import Features
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring
from tests.contract.process import Process
from tests.contract.step_functions import ARN, Machine
from tests.kit import FixedClock, memory_ports
from tests.simulation.actors import Actor
from tests.simulation.faults import FAULTS, READS, Faulty, Port
from tests.simulation.store import RecordingStore
from tests.simulation.tools import tools
from tests.simulation.trace import Trace

DEEPEST = 2
"""How many calls may be suspended at once, one within another."""

OF_READS = 6
"""How much less likely a fault is at a call that only reads: there are so many more of them."""

MOST_MEANWHILE = 8
"""Moves of others, while one call is suspended."""

LONGEST_PAUSE = 5
"""Seconds, of somebody who waits for a task."""

MOST_TASKS = (1, 2, 4, 8)
"""Of a tenant at a time: few, so that it comes to the end of its quota, and many hands work on each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One process: what it can do, and the faults that it met."""

    does: Process
    server: Server
    struck: list[str]


class World:
    """What all processes share.

    `random` is the only source of chance.  `rate` is how likely a call that writes meets one of the `faults`; `actors`
    are those who may act, also while a call is suspended.
    """

    def __init__(self, random: Random, store: type[RecordingStore] = RecordingStore) -> None:
        self.random = random
        self.clock = FixedClock()
        self.trace = Trace(self.clock)
        self.store = store(self.clock)
        self.machine = Machine(clock=self.clock)
        self.features = Features.of(tools(self.effect))
        self.actors: Sequence[Actor] = ()
        self.faults: Sequence[str] = ()
        self.rate = 0.0
        self.most_tasks = random.choice(MOST_TASKS)
        self.violations: list[str] = []
        self.effects: list[tuple[str, str, int, int]] = []
        """Task, if there is one, step, number of the effect, and the moment at which its run began."""
        self._usual = memory_ports(self.clock)
        self.storage = self._usual.storage

    # --- what happens

    def act(self) -> None:
        """Let one actor make one move."""
        moves = [(actor, name, do) for actor in self.actors for name, do in actor.moves().items()]
        ((actor, name, do),) = self.random.choices(moves, [actor.weights[name] for actor, name, _ in moves])
        self.trace.count(f"move: {actor.kind} {name}")
        self.trace.say(f"{actor.name} {name}")
        do()

    def interleave(self) -> None:
        """Let others act while a call is suspended."""
        if self.trace.depth < DEEPEST:
            self.trace.depth += 1
            for _ in range(self.random.randint(1, MOST_MEANWHILE)):
                self.act()
            self.trace.depth -= 1

    def draw_fault(self, port: Port, operation: str) -> str | None:
        """Return what a call meets, if anything."""
        if self.random.random() >= self.rate / (OF_READS if operation in READS else 1):
            return None
        able = [name for name in self.faults if port in FAULTS[name].of]
        return self.random.choice(able) if able else None

    def demand(self, holds: bool, what: str) -> None:
        """Note a violated invariant; it is told when the move is over, since the code under test catches exceptions."""
        if not holds:
            self.trace.say(f"VIOLATED: {what}")
            self.violations.append(what)

    def effect(self, context: Context, step: str) -> Callable[[], int]:
        """Return what a step of a run does in the world; call this when the run begins."""
        began = self.store.moment()

        def do() -> int:
            self.effects.append((context.task_id or "", step, len(self.effects), began))
            return len(self.effects) - 1

        return do

    # --- processes

    def process(self) -> Running:
        """Start a process: everything in it is new, but for what is stored."""
        struck: list[str] = []
        store: Any = Faulty(self.store, "store", self, struck)
        client = Faulty(self.machine, "executor", self, struck)
        ports = replace(
            self._usual,
            tasks=store,
            backlog=store,
            storage=FaultyStorage(world=self, struck=struck),
            executor=StepFunctionsExecutor(client=client, machines={"run_tool": ARN}),
            waiter=Pausing(self),
        )
        wiring = Wiring(ports=ports, limits=Limits(active_tasks=self.most_tasks))
        server = wiring.server(self.features, name="simulated", version="1", page_size=3)
        process = replace(Process.of(ports, self.features.tools), tasks=wiring.tasks())
        return Running(does=process, server=server, struck=struck)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyStorage:
    """The state that revisions keep, in stores whose calls meet faults."""

    world: World
    struck: list[str]

    def open(self, *, in_table: Callable[[Any], Any], in_memory: Callable[[Any], Any]) -> Any:
        store = self.world.storage.open(in_table=in_table, in_memory=in_memory)
        return Faulty(store, "store", self.world, self.struck)


@dataclass(slots=True)
class Pausing:
    """A waiter whose pauses let simulated time pass, and others act."""

    world: World

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        seconds = round(self.world.random.uniform(0.2, LONGEST_PAUSE), 3)
        self.world.clock.advance(min(at_most, timedelta(seconds=seconds)))
        self.world.interleave()
        return Waker.POLL
