"""A process of the world, which lives for one request or one run: its services, its faults, and what its call did."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.ports import Ports
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.run_host.client import Send
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring
from tests.contract.process import Process
from tests.contract.step_functions import ARN
from tests.simulation.faults import HARMLESS, Faults, Faulty
from tests.simulation.plans import BelievedPlans

if TYPE_CHECKING:
    from tests.simulation.world import World

LONGEST_PAUSE = 5
"""Seconds, of somebody who waits for a task."""


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """What a call did so far, whether or not its client got the response.

    `steps` are the numbers of the effects of its steps, `responses` what its client answered, by key, and `tasks` those
    that it started.  It `failed` if one of its processes did.  A round trip goes on from the record of the one before:
    whoever repeats an old `requestState` goes on from an old record.
    """

    steps: dict[str, int] = field(default_factory=dict)
    responses: dict[str, JSON] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)
    failed: bool = False

    def next(self, responses: Mapping[str, JSON]) -> "CallRecord":
        """Return the record that the next round trip goes on from."""
        return CallRecord(steps=dict(self.steps), responses={**self.responses, **responses}, tasks=list(self.tasks))


class Running:
    """A process that runs; all its services are new, since nothing but what is stored outlives it."""

    def __init__(self, world: "World", call: CallRecord) -> None:
        self.world = world
        self.call = call
        self.struck: list[str] = []
        """The faults that the process met."""
        self.waited = 0
        """The moment at which it last went on after it had waited for a task."""

    @property
    def failed(self) -> bool:
        """Whether the process died, or could not reach something."""
        return any(fault not in HARMLESS for fault in self.struck)

    @cached_property
    def does(self) -> Process:
        """The services of workers."""
        process = Process.of(self._ports, self.world.features.tools)
        tickets = replace(process.runner.runner, send=self._sending(process.runner.runner.send))
        return replace(process, runner=replace(process.runner, runner=tickets))

    @cached_property
    def server(self) -> Server:
        """What answers clients."""
        wiring = Wiring(ports=self._ports)
        return wiring.server(self.world.features, name="simulated", version="1", page_size=3)

    @cached_property
    def _faults(self) -> Faults:
        return Faults(self.world, self.struck)

    def _sending(self, send: Send) -> Send:
        """Return what sends messages to the host of runs by invocations, which meet faults."""

        def sent(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
            answer: Mapping[str, JSON] = self._faults.meet("host", str(message["does"]), lambda: send(message))
            self.world.run_tickets.sent(message, answer)
            return answer

        return sent

    @cached_property
    def _ports(self) -> Ports:
        world = self.world
        store: Any = Faulty(world.store, "store", self._faults)
        client = Faulty(world.machine, "executor", self._faults)
        tickets = Tickets(signer=Signer(keys=world.keys, clock=world.ports.clock))
        return replace(
            world.ports,
            tasks=store,
            queue=store,
            backlog=store,
            storage=FaultyStorage(world=world, faults=self._faults),
            executor=StepFunctionsExecutor(client=lambda: client, machines={"run_tool": ARN}, tickets=tickets),
            waiter=Pausing(self),
            keys=world.keys,
            plans=BelievedPlans(plans=world.plans, clock=world.clock, random=world.random),
            buckets=Faulty(world.buckets, "store", self._faults),
            held_waits=world.held_waits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyStorage:
    """The state that revisions keep, in stores whose calls meet faults."""

    world: "World"
    faults: Faults

    def open(self, *, in_table: Callable[[Any], Any], in_memory: Callable[[Any], Any]) -> Any:
        store = self.world.ports.storage.open(in_table=in_table, in_memory=in_memory)
        return Faulty(store, "store", self.faults)


@dataclass(slots=True)
class Pausing:
    """A waiter whose pauses let simulated time pass, and others act."""

    running: Running

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        world = self.running.world
        seconds = round(world.random.uniform(0.2, LONGEST_PAUSE), 3)
        world.clock.advance(min(at_most, timedelta(seconds=seconds)))
        world.interleave()
        self.running.waited = world.store.moment()
        return Waker.POLL
