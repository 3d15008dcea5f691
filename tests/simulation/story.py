"""One story: a seed draws who acts and what can go wrong, lets them act, and then lets everything come to its end."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from unittest.mock import patch

from mcp_tasks.engine import task_host
from mcp_tasks.limits.tools import MAX_LOADED_CHARACTERS
from mcp_tasks.limits.waits import PLAN_FRESH
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.transitions import is_final
from tests.chance import seeded
from tests.simulation.actors import Actor
from tests.simulation.actors.approver import Approvers
from tests.simulation.actors.brink import Brink
from tests.simulation.actors.calling_again import CallingAgain
from tests.simulation.actors.client_2025 import Client2025
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.actors.clients import answer_all, drawn_clients, helpers
from tests.simulation.actors.deployment import Deployment
from tests.simulation.actors.following import follow_all, see
from tests.simulation.actors.invocations import Invocations
from tests.simulation.actors.models import Models
from tests.simulation.actors.notices import Notices
from tests.simulation.actors.operator import Operator
from tests.simulation.actors.outage import LongOutage, Outage
from tests.simulation.actors.passing import Expiry, KeyRenewal, Sweep, Time
from tests.simulation.actors.poison import Poison
from tests.simulation.actors.state_machine import StateMachine
from tests.simulation.actors.stream import Events, Stream
from tests.simulation.actors.stubborn import answer_badly
from tests.simulation.actors.thieves import Thieves
from tests.simulation.chances import BUSY_SWEEPS, LOADED, MOVES, OF_BUSY, OF_LOADED, RACES, RATES, SEES, ZEAL
from tests.simulation.erasure import Erasure
from tests.simulation.faults import FAULTS, HARMLESS, SLOWLY
from tests.simulation.idle import Idle
from tests.simulation.kinds import DRAWN
from tests.simulation.laws.approvals import Approvals
from tests.simulation.laws.calls import Calls
from tests.simulation.laws.shown import Ledger
from tests.simulation.laws.stored import Laws
from tests.simulation.laws.streams import Streams
from tests.simulation.reckoning import last_call
from tests.simulation.trace import Trace
from tests.simulation.traits import KEPT, RELEASES
from tests.simulation.uses import AWAY, ESCALATES, HANDLES, JOINS, POISONS, STEALS, draw_uses
from tests.simulation.violation import WHOLE, Less, Violation
from tests.simulation.world import World

MOST_SLEEPS = 3
"""No task sleeps as often."""

SECONDS = 90
"""So long may tools take to ask for one thing after the other whose time is over, where some wait for others' slots:
a minute after one has begun to wait, the sweep checks it."""

AFTERWARDS = timedelta(hours=26)
"""Longer than any task of a story is kept."""


def kept_by(seed: int) -> str:
    """Return where the story of a seed keeps its tasks, drawn apart from all else that its seed draws."""
    return Random(f"kept {seed}").choice(KEPT)


def simulate(seed: int, kept: str | None = None, less: Less = WHOLE) -> Trace:
    """Run the story of a seed and return its trace; raises `Violation`."""
    random, kept = Random(seed), kept or kept_by(seed)
    with seeded(random):
        world = World(random, kept, Random(f"beside {seed}"), Random(f"apart {seed}"))
        world.uses = draw_uses(seed, two_releases=kept == RELEASES)
        world.others |= ESCALATES in world.uses
        story = Story(world, less)
        world.busy = BUSY_SWEEPS if Random(f"busy {seed}").random() < OF_BUSY else 0
        loaded = LOADED if Random(f"loads {seed}").random() < OF_LOADED else MAX_LOADED_CHARACTERS
        try:
            with patch.object(task_host, "MAX_LOADED_CHARACTERS", loaded):
                story.go()
        except Exception:  # noqa: BLE001  # whatever breaks is told with its seed
            world.demand(False, traceback.format_exc())
        world.trace.recoveries += world.long_outages.recoveries(world.store)
        world.trace.end()
        if world.violations:
            raise Violation(seed, kept, less, world, made=story.made)
    return world.trace


@dataclass(slots=True)
class Story:
    """Who acts, and in which order it comes to its end.

    Either the stream or the sweep alone has to be enough: `by` says which of them there is.  In the end users answer
    what they are asked, or let it expire where nobody `answers`.
    """

    world: World
    less: Less = WHOLE
    made: int = 0
    by: str = field(init=False)
    operated: bool = field(init=False)
    hours: bool = field(init=False)
    answers: bool = field(init=False)
    laws: Laws = field(init=False)
    machine: StateMachine = field(init=False)
    invocations: Invocations = field(init=False)
    stream: Stream = field(init=False)
    events: Events = field(init=False)
    sweep: Sweep = field(init=False)
    expiry: Expiry = field(init=False)
    helpers: list[Client2026] = field(init=False)
    clients: list[Client2025 | Client2026] = field(init=False)
    approvers: Approvers = field(init=False)
    more: dict[str, Actor] = field(init=False)
    """Those who act in some stories only."""
    erasure: Erasure = field(init=False)
    idle: Idle = field(init=False)

    def __post_init__(self) -> None:
        world, draw = self.world, self.world.random.choice
        ledger, calls, streams = Ledger(world), Calls(world), Streams(world)
        self.hours, self.answers = draw([True, False, False]), draw([True, True, False])
        self.operated = draw([True, False])
        self.by = draw(["both", "both", "stream", "sweep"])
        most = len(FAULTS)
        some = world.random.sample(list(FAULTS), most if world.even else world.random.randint(1, most))
        # In some stories nothing fails, and everything races.
        races = (some, draw(RATES)) if world.even else (sorted(HARMLESS), RACES)
        world.faults, world.rate = draw([(some, draw(RATES)), (some, draw(RATES)), races])
        slow = sorted(SLOWLY.difference(world.faults)) if world.near else []
        world.faults = [each for each in (*world.faults, *slow) if each not in self.less.without]
        world.zeal = {each.kind: draw(ZEAL) for each in DRAWN}
        approvals = Approvals(world)
        self.laws = Laws(world, ledger, streams, approvals)
        # What has no execution needs the sweep: nothing else tells of a run.  A release before fails such tasks.
        world.direct = self.by != "stream" and world.kept != RELEASES
        self.machine, self.invocations = StateMachine(world), Invocations(world)
        self.stream = Stream(world, only_deletions=self.by == "sweep", loses=self.by == "both" and draw([True, False]))
        self.events = Events(world, loses=self.by != "stream")
        self.sweep, self.expiry = Sweep(world), Expiry(world)
        self.clients = drawn_clients(world, ledger, calls, streams)
        self.helpers = helpers(world, ledger, calls)
        self.approvers = Approvers(world, ledger, calls, approvals)
        self.more = {
            JOINS: CallingAgain(world, ledger, calls),
            HANDLES: Models(world, ledger, calls),
            STEALS: Thieves(world, self.clients),
            POISONS: Poison(world),
        }
        self.erasure = Erasure(world, self.machine)
        self.idle = self._idle()
        world.actors = list(self._actors())
        often = "evenly" if world.even else f"{100 * world.rate:g} %"
        said = f"by {self.by}, {often} of {', '.join(world.faults)}"
        world.trace.say(f"{', '.join(each.name for each in self.clients)}; {said}")

    def go(self) -> None:
        """Act, run until idle, answer every input request, and end; stop at the first violation."""
        drawn = self.world.random.randint(*MOVES)
        for _ in range(drawn if self.less.moves is None else self.less.moves):
            self.made += 1
            self.world.act()
            if self.world.sees:
                see(self.world, self.clients, self.machine, SEES)
            self.laws.after_a_move()
            if self.world.violations:
                return
        if self.world.erases:
            self.clients = self.erasure.erase_one(self.clients)
            self.helpers = [each for each in self.helpers if self.erasure.spares(each.owner_key)]
        self.world.plans.lift()
        # By then every process knows of it.
        self.world.clock.advance(2 * PLAN_FRESH)
        look = (self._see,) if self.world.sees else ()
        refuse = (self._refuse,) if self.world.stubborn else ()
        answer = (self._answer, self._all_ended) if self.answers else ()
        end = (self._run_out, self._pass, self._demand_nothing)
        for part in (self.idle.run_and_check, *look, *refuse, *answer, *end):
            self.world.trace.say(f"--- {part.__name__.strip('_').replace('_', ' ')}")
            part()
            self.laws.after_a_move()
            if self.world.violations:
                return

    def _idle(self) -> Idle:
        return Idle(
            world=self.world,
            by=self.by,
            laws=self.laws,
            machine=self.machine,
            invocations=self.invocations,
            stream=self.stream,
            events=self.events,
            sweep=self.sweep,
            expiry=self.expiry,
        )

    def _demand_nothing(self) -> None:
        self.laws.nothing_is_left()
        self.erasure.nothing_is_left()

    def _actors(self) -> Iterator[Actor]:
        yield from (*self.clients, self.machine, self.invocations, self.stream, self.events, self.expiry)
        yield Time(self.world, hours=self.hours)
        if self.world.brinks or self.world.uses:
            yield Brink(self.world, hours=self.hours)
        yield KeyRenewal(self.world)
        if self.world.outages:
            yield Outage(self.world)
        if self.world.others:
            yield self.approvers
        if AWAY in self.world.uses:
            yield LongOutage(self.world)
        yield from (actor for use, actor in self.more.items() if use in self.world.uses)
        if self.world.kept == RELEASES:
            yield Deployment(self.world)
        if self.operated:
            yield Operator(self.world, raises=self.by != "stream")
        if self.by != "stream":
            yield from self._sweeping()

    def _sweeping(self) -> Iterator[Actor]:
        yield self.sweep
        if ESCALATES in self.world.uses:
            yield Notices(self.world, self.sweep)

    def _see(self) -> None:
        """Let each client of 2025-11-25 see what it is to be asked, and how far its calls are."""
        see(self.world, self.clients, self.machine, 1)

    def _refuse(self) -> None:
        """Let each client of 2025-11-25 answer all that it is asked, badly, until it is not asked any more."""
        for client in self.clients:
            if isinstance(client, Client2025):
                answer_badly(client)
        self.idle.run_and_check()

    def _answer(self) -> None:
        """Let each owner answer all that is asked, and each task wake, which may ask then; follow each stream."""
        for _ in range(MOST_SLEEPS):
            for _ in range(4):
                for helper in self.helpers:
                    answer_all(helper)
                self.approvers.decide_all()
                self.idle.run_and_check()
                if not self._asks():
                    break
            self.idle.wake()
            if not self._asks():
                break
        for client in self.clients:
            if isinstance(client, Client2025):
                follow_all(client, self.laws.end_later(self.events.lost))

    def _asks(self) -> bool:
        return any(task.open_input_requests for _, task in self.world.store.tasks())

    def _all_ended(self) -> None:
        self.laws.all_ended(lost=self.events.lost)

    def _run_out(self) -> None:
        """Let the time of each task run out that nobody answers, one after the other: each leaves an outcome.

        What has no execution, no slot, or an execution whose end was lost, only a sweep ends.
        """
        store = self.world.store
        for at in sorted({last_call(task) for _, task in store.tasks() if store.lives(task) and not is_final(task)}):
            self.world.clock.advance(max(at - self.world.clock.now(), timedelta()))
            for _ in range(SECONDS):
                if self.by != "stream":
                    self.sweep.come()
                self.idle.follow()
                # A tool may ask again, and an execution waits for a second at least.
                self.world.clock.advance(timedelta(seconds=1))
                if not self.laws.deadlines.late(at, self._alone()):
                    break
            self.laws.deadlines.have_ended(at, self._alone())

    def _alone(self) -> set[str]:
        """Return the tasks that only a sweep ends in time, where none comes: those that have no execution or no slot.

        An execution that suspended late may end late as well.
        """
        if self.by != "stream":
            return set()
        executed, queued = self.world.machine.executions, State.QUEUED
        alone = {task.id for _, task in self.world.store.tasks() if task.id not in executed or task.state is queued}
        return alone | self.laws.deadlines.suspended_late()

    def _pass(self) -> None:
        """Let time pass until every token has run out, delete every task, and deliver the whole stream again."""
        self.world.clock.advance(AFTERWARDS)
        self.idle.run()
        self.expiry.delete_all()
        self.idle.run()
        for change in list(self.world.delivered):
            self.stream.deliver(change)
        self.idle.run()
