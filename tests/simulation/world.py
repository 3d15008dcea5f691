"""The world of one story: what all processes share, and how faults and other actors come in."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, TypeVar, cast

from mcp_tasks.patience import patient
from mcp_tasks.wire.rev_2025_11_25.adapters import session_store
from tests.contract.events import Events
from tests.contract.step_functions import Machine
from tests.kit import FixedClock, memory_ports
from tests.simulation import chances
from tests.simulation.actors import Actor
from tests.simulation.effect import NOW, Effect, features_of
from tests.simulation.faults import DOWN, FAULTS, LATE_READ, RARE, READS, SLOWLY, Port
from tests.simulation.history import Change
from tests.simulation.keys import RenewedKeys
from tests.simulation.laws.run_tickets import RunTickets
from tests.simulation.log import Log
from tests.simulation.outages import Outages
from tests.simulation.plans import CountedBuckets, CountedHeldWaits, StoryPlans, draw_plan
from tests.simulation.process import CallRecord, Running
from tests.simulation.releases import COMMITS, THIS, Release, release_before
from tests.simulation.replica import LONGEST_LAG
from tests.simulation.store import RecordingStore
from tests.simulation.table import RecordingTable
from tests.simulation.trace import VIOLATED, Trace
from tests.simulation.traits import MEMORY, RELEASES, Traits

T = TypeVar("T")

DEEPEST = 2
"""How many calls may be suspended at once, one within another."""

OF_READS = 6
"""How much less likely a fault is at a call that only reads: there are so many more of them."""

CROWD = 8
"""How much more likely whoever is suspended acts again meanwhile: it does most at once to what it deals with."""

MOST_MEANWHILE = 8
"""Moves of others, while one call is suspended."""


class World(Traits):
    """What all processes share.

    `random` is the only source of chance, but for what is drawn `beside` it and `apart`, as `Traits` are.  `rate` is
    how likely a call that writes meets one of the `faults`; `actors` are those who may act, also while a call is
    suspended.
    """

    def __init__(self, random: Random, kept: str, beside: Random, apart: Random) -> None:
        super().__init__(kept, beside, apart)
        self.random = random
        self.apart = apart
        self.clock = FixedClock()
        self.trace = Trace(self.clock)
        self.trace.count(f"kept in: {kept}")
        self.store = RecordingStore(self.clock) if kept == MEMORY else RecordingTable(self.clock)
        self.dynamodb = self.store.client if isinstance(self.store, RecordingTable) else None
        self.bucket = self.store.bucket if isinstance(self.store, RecordingTable) else None
        if self.dynamodb is not None and self.late_reads:
            self.dynamodb.lag = self._lag
        self.machine = Machine(clock=self.clock)
        self.machine.rejects_ended = self.rejects_ended
        self.invocations = Events()
        self.direct = False
        """Whether some tasks have no execution."""
        self.executor_is_down = False
        self.long_outages = Outages(self.clock)
        self.erased: str | None = None
        """Which tenant was erased."""
        self.uses = frozenset[str]()
        """What some tools use that there are in no other story."""
        self.busy = 0
        """How many sweeps find yet that the store fails at one task, as a partition does that is too busy."""
        self._about: list[str] = []
        self._beside, self._slow = beside, dict[str, bool]()
        self._calls: Counter[tuple[Port, str]] = Counter()
        self.share_of_this = random.choice([0, 0.5, 1]) if kept == RELEASES else 1
        """How much of what is invoked is this release, rather than the one before."""
        self.before = release_before(random.choice(COMMITS)) if kept == RELEASES else THIS
        self.actors: Sequence[Actor] = ()
        self.zeal: Mapping[str, float] = {}
        """How often the actors of each kind act, beside what is usual."""
        self.moves = 0
        self.acting: list[Actor] = []
        """Who acts now, and before it those who are suspended meanwhile."""
        self.failed: dict[int, str] = {}
        """When those processes began that failed since the last move, in `moments`, and the values of those calls."""
        self.delivered = Log[Change]()
        """What the stream delivered, of which each was handled."""
        self.disturbed: set[str] = set()
        """The executions that were stopped, failed or were done twice."""
        self.faults: Sequence[str] = ()
        self.rate = 0.0
        self.plans = StoryPlans(self.clock, draw_plan(random))
        self.buckets = CountedBuckets()
        self.held_waits = CountedHeldWaits()
        self.violations: list[str] = []
        self.effects = Log[Effect]()
        self.running: list[Running] = []
        """The process that runs, and before it those that are suspended meanwhile."""
        usual, store = memory_ports(self.clock), cast(Any, self.store)
        self.ports = replace(usual, tasks=store, queue=store, backlog=store, inbox=lambda: store.inbox)
        self.keys = RenewedKeys(random)
        self.run_tickets = RunTickets(self)
        self._tell_store_who_writes()

    def _tell_store_who_writes(self) -> None:
        self.store.call = lambda: self.running[-1].call
        if self.deep:
            self.store.since = lambda: self.running[-1].since
        self.store.began = lambda: self.running[-1].began if self.running else self.clock.now()
        self.store.process = lambda: self.running[-1].began_moment if self.running else 0
        self.store.asks = lambda: self.running[-1].asks

    @property
    def has_a_release_before(self) -> bool:
        """Whether two releases work on the table."""
        return self.kept == RELEASES

    def has_session(self, owner_key: str, session: str) -> bool:
        """Return whether a session is stored."""
        if self.dynamodb is not None:
            return self.dynamodb.items.get((owner_key, f"session#{session}")) is not None
        return session_store(self.ports.storage).load(owner_key, session) is not None

    def is_silent(self, owner_key: str, session: str | None) -> bool:
        """Return whether it is stored that the client of a session has not said that it is initialized."""
        if session is None:
            return False
        if self.dynamodb is not None:
            return "silentUntil" in (self.dynamodb.items.get((owner_key, f"session#{session}")) or {})
        known = session_store(self.ports.storage).load(owner_key, session)
        return known is not None and known.silent_until is not None

    @property
    def between_checks(self) -> timedelta:
        """Return until when the sweep has come back to a task, whichever release it was that put its check off."""
        longest: timedelta = max(release.functions.UNCHECKED for release in (THIS, self.before))
        return longest

    # --- what happens

    def act(self) -> None:
        """Let one actor make one move."""
        able = [actor for actor in self.actors if actor.needs.isdisjoint(self.long_outages.away)]
        moves = [(actor, name, do) for actor in able for name, do in actor.moves().items()]
        if self._about and self._about[-1] and self.random.random() < chances.IMPATIENT:
            moves = [each for each in moves if each[1] in each[0].breaks_off] or moves
        eager = {actor.name: self._eagerness(actor) for actor in self.actors}
        weights = [actor.weights[name] * eager[actor.name] for actor, name, _ in moves]
        ((actor, name, do),) = self.random.choices(moves, weights)
        self.moves += 1
        self.trace.count(f"move: {actor.kind} {name}")
        self.trace.say(f"{actor.name} {name}")
        self.acting.append(actor)
        do()
        self.acting.pop()

    def _eagerness(self, actor: Actor) -> float:
        """Return how much more likely an actor is to act than is usual."""
        suspended = any(each is actor for each in self.acting)
        return self.zeal.get(actor.kind, 1) * (CROWD if suspended else 1)

    def interleave(self) -> None:
        """Let others act while a call is suspended."""
        most = MOST_MEANWHILE if self.trace.depth < DEEPEST else int(self.near and self.trace.depth == DEEPEST)
        if most and self.moves < chances.MOST_MOVES:
            self.trace.depth += 1
            self._about.append(self._task_in(self.running[-1].about) if self.near else "")
            for _ in range(self.random.randint(1, most)):
                self.act()
            self._about.pop()
            self.trace.depth -= 1

    def pick(self, found: Sequence[T], task_of: Callable[[T], str]) -> T:
        """Return one of those found, in some stories often one that is about the same task as a suspended call."""
        about = self._about[-1] if self._about else ""
        same = [each for each in found if task_of(each) == about] if about else []
        return self.random.choice(same if same and self.random.random() < chances.NEAR else found)

    def again(self, do: Callable[[T], object], what: T) -> None:
        """Do what was done before, in some stories many times."""
        for _ in range(self.random.choice(chances.TIMES) if self.repeats else 1):
            do(what)

    def _task_in(self, values: Sequence[object]) -> str:
        """Return the task that the values of a call name, empty if they name none."""
        texts = [str(getattr(value, "id", value)) for value in values]
        return next((task.id for _, task in self.store.tasks() for text in texts if task.id in text), "")

    def draw_fault(self, port: Port, operation: str) -> str | None:
        """Return what a call meets, if anything."""
        self._calls[port, operation] += 1
        if self.near and self.rate and self._is_slow(operation) and self.random.random() < chances.SLOW:
            slow = [each for each in self.faults if each in SLOWLY and FAULTS[each].can_strike(port, operation)]
            return self.random.choice(slow) if slow else None
        if self.running[-1].cannot_reach_task(self.running[-1].about) and FAULTS[DOWN].can_strike(port, operation):
            return DOWN
        evenly, likelihood = self._likelihood(port, operation)
        if self.random.random() >= likelihood:
            return None
        able = [name for name in self.faults if FAULTS[name].can_strike(port, operation)]
        if evenly:
            able = [name for name in able if name not in SLOWLY] or able
        return self.random.choices(able, [FAULTS[name].weight for name in able])[0] if able else None

    def _likelihood(self, port: Port, operation: str) -> tuple[bool, float]:
        """Return whether a call meets each fault alike, unless it is a slow call, and how likely it meets one."""
        if self.rate and RARE.intersection((operation, f"{port}.{operation}")):
            return True, chances.EVEN
        if self.rate and self.even:
            return True, chances.EVEN / self._calls[port, operation]
        return False, self.rate / (OF_READS if operation in READS else 1)

    def _lag(self) -> timedelta:
        """Return how late a read is, soon after a write."""
        if self.random.random() >= chances.LATE:
            return timedelta()
        self.trace.count(f"fault: {LATE_READ}")
        return LONGEST_LAG * self.random.random()

    def draw_skew(self) -> timedelta:
        """Return by how much the clock of a process is behind: the world's is that of whoever is first."""
        return self.skew * self._beside.random() if self.skew else self.skew

    def _is_slow(self, operation: str) -> bool:
        """Return whether an operation is slow all the story long, as some are where others are near."""
        if operation not in self._slow:
            self._slow[operation] = self._beside.random() < chances.OF_SLOW
        return self._slow[operation]

    def demand(self, holds: bool, what: str) -> None:
        """Record a violated invariant, reported when the move is over, since the code under test catches exceptions."""
        if not holds:
            self.trace.say(f"{VIOLATED}{what}")
            self.violations.append(what)

    def effect(self, context: Any, step: str) -> Callable[[], int]:
        """Return what a step of a run does in the world; call this when the run begins."""
        self.store.know(step)
        began = self.store.moment()

        def do() -> int:
            call, number = self.running[-1].call, len(self.effects)
            self.effects.append(Effect(context.task_id or "", step, began, step in call.steps))
            call.steps[step] = number
            return number

        return do

    # --- processes

    @contextmanager
    def process(self, call: CallRecord | None = None) -> Iterator[Running]:
        """Start a process; while it is suspended, others run, and end before it goes on."""
        running = Running(self, call or CallRecord(), self.invoked())
        if self.kept == RELEASES:
            self.trace.count(f"invoked: {running.release.name}")
            self.trace.say(f"  {running.release.name}")
        self.running.append(running)
        try:
            # A process knows nothing of the request that another one, which is suspended, serves.
            with patient(None):
                yield running
        finally:
            running.call.failed |= running.failed
            self.failed |= {running.began_moment: " ".join(running.failed_at)} if running.failed else {}
            self.running.pop()

    def served_by(self, release: Release) -> Any:
        """Return the features that a release serves."""
        NOW.does = self.effect
        return features_of(release, direct=self.direct, others=self.others, odd=self.odd, uses=self.uses)

    def invoked(self, otherwise: Release = THIS) -> Release:
        """Return the release that is invoked now, and `otherwise` where a story has no two of them."""
        if self.kept != RELEASES:
            return otherwise
        return THIS if self.random.random() < self.share_of_this else self.before
