"""The plans of a story's tenants, which change in mid story, and the buckets and held waits that they limit."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.limits.waits import PLAN_FRESH
from mcp_tasks.ports.clock import Clock
from mcp_tasks.tasks.plan import Plan
from tests.simulation.deployed.outside import Taken
from tests.simulation.log import Log

MOST_TASKS = (1, 2, 4, 8)
"""Of a tenant at a time: few, so that it comes to the end of its quota, and many hands work on each."""

MOST_RUNNING = (1, 2, 100)
"""Of a tenant at a time: the others wait."""

SHARES = (0.5, 1)
"""Of a subject, of what its tenant may have."""

LIMITS: Mapping[str, tuple[float, ...]] = {
    "suspended_tasks": (1, 2),
    "stored_bytes": (300, 1_000),
    "bytes_per_day": (100, 400),
    "held_waits": (1, 2),
    "requests_per_second": (0.05, 0.5),
    "sessions_per_day": (1, 3),
    "keys_per_day": (1, 3),
}
"""Those that a plan need not have."""

FIELDS = tuple(field.name for field in fields(Plan))

BURSTS, HOW_MANY = (None, 1, 5), (0, 0, 0, 1, 1, 3)
"""Of requests, and how many of the limits above a plan has: in most stories, clients come to no end of them."""


def draw_plan(random: Random) -> Plan:
    """Return a plan that limits much, or little."""
    chosen = random.sample(list(LIMITS), random.choice(HOW_MANY))
    limits: dict[str, Any] = {name: random.choice(LIMITS[name]) for name in chosen}
    return Plan(
        active_tasks=random.choice(MOST_TASKS),
        running_tasks=random.choice(MOST_RUNNING),
        subject_share=random.choice(SHARES),
        burst=random.choice(BURSTS),
        **limits,
    )


def share(plan: Plan, limit: float) -> int:
    """Return how much of a limit one subject may use, by our own count: half of one is one."""
    return int(limit * plan.subject_share + 0.5)


class StoryPlans:
    """The plans of all tenants: what each is now, and what it was."""

    def __init__(self, clock: Clock, plan: Plan) -> None:
        """Begin with one plan for all."""
        self._clock = clock
        self._history: defaultdict[str, list[tuple[datetime, Plan]]] = defaultdict(lambda: [(clock.now(), plan)])

    def of(self, tenant: str) -> Plan:
        """Return the plan of a tenant as it is now."""
        return self._history[tenant][-1][1]

    def change(self, tenant: str, **fields: Any) -> None:
        """Change some fields of a tenant's plan."""
        self._history[tenant].append((self._clock.now(), replace(self.of(tenant), **fields)))

    def since(self, tenant: str, when: datetime) -> list[Plan]:
        """Return each plan that a process may have gone by since then, which believes one for `PLAN_FRESH`."""
        history, first = self._history[tenant], when - PLAN_FRESH
        ends = [*(at for at, _ in history[1:]), datetime.max.replace(tzinfo=when.tzinfo)]
        return [plan for (_, plan), end in zip(history, ends, strict=True) if end >= first]

    def lift(self) -> None:
        """Let every tenant be served as often as it asks, so that all that began can come to its end."""
        for tenant in list(self._history):
            self.change(tenant, suspended=False, requests_per_second=None, held_waits=None)


@dataclass(slots=True, kw_only=True)
class BelievedPlans:
    """The `Plans` of one process, which may have read a plan before it was changed."""

    plans: StoryPlans
    clock: Clock
    random: Random
    _known: dict[str, tuple[Plan, datetime]] = field(default_factory=dict)

    def of(self, tenant: str) -> Plan:
        """Return the plan as it was read, not long ago."""
        now = self.clock.now()
        known = self._known.get(tenant)
        if known is None or known[1] <= now:
            possible = self.plans.since(tenant, now)
            # Where there was one plan only, nothing is drawn.
            plan = possible[0] if len(possible) == 1 else self.random.choice(possible)
            known = self._known[tenant] = (plan, now + PLAN_FRESH)
        return known[0]

    def limits_of(self, tenant: str) -> Mapping[str, Any]:
        """Return the fields of the plan."""
        plan = self.of(tenant)
        return {name: getattr(plan, name) for name in FIELDS}


class Rate(NamedTuple):
    """How fast a bucket fills, and how much it holds."""

    per_second: float
    burst: float


class Empty(NamedTuple):
    """A bucket that held too little, and in how long it would hold enough."""

    owner: str
    bucket: str
    fills_in: timedelta


@dataclass(slots=True)
class Level:
    """What a bucket holds by our own count, below 0 what it owes."""

    rate: Rate
    tokens: float
    at: datetime


class CountedBuckets:
    """Another count of buckets than the server's, in tokens rather than in time."""

    def __init__(self) -> None:
        """Begin with full buckets."""
        self.refused: list[Empty] = []
        self.asked = Log[tuple[str, str, int]]()
        """The owner and the name of the bucket, and how much it was to give, each time that somebody asked."""
        self.wrong: list[str] = []
        """What does not agree with the count."""
        self._levels: dict[tuple[str, str], Level] = {}

    def count(self, taken: Taken, fills: tuple[float, float], ready: datetime | None, now: datetime) -> datetime | None:
        """Count what a process took from a bucket at its time, and return when it is `ready` that held too little."""
        (owner, bucket, count, least), rate = taken, Rate(*fills)
        self.asked.append((owner, bucket, count))
        level = self._level(owner, bucket, rate, now)
        # What falls on the very moment is rounded here and there.
        near = abs(level.tokens - least) < 1e-3
        if not near and (ready is None) is not (level.tokens >= least):
            gives = count if ready is None else 0
            self.wrong.append(f"{bucket} of {owner} holds {level.tokens:g} of at least {least}, and gives {gives}")
        if ready is None:
            level.tokens -= count
        else:
            fills_in = timedelta(seconds=(least - level.tokens) / rate.per_second)
            self.refused.append(Empty(owner, bucket, fills_in))
        return ready

    def _level(self, owner: str, bucket: str, rate: Rate, now: datetime) -> Level:
        level = self._levels.setdefault((owner, bucket), Level(rate, rate.burst, now))
        elapsed = (now - level.at).total_seconds()
        missing = max(0, level.rate.burst - level.tokens - elapsed * level.rate.per_second)
        # By another rate, it takes what is missing as long to come as before, and so it is another number.
        level.tokens = rate.burst - missing / level.rate.per_second * rate.per_second
        level.rate, level.at = rate, now
        return level


class CountedHeldWaits(MemoryHeldWaits):
    """Held waits that are held against another count."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.refused: list[str] = []
        self.begun: list[str] = []
        """The tenant of each wait that was counted."""
        self.wrong: list[str] = []
        self._now: Counter[str] = Counter()

    def begin(self, tenant: str, limit: int) -> str | None:
        """Begin a wait, and count."""
        receipt = super().begin(tenant, limit)
        if (receipt is None) is not (self._now[tenant] >= limit):
            self.wrong.append(f"{tenant} holds {self._now[tenant]} of {limit} waits, and gets {receipt!r}")
        if receipt is None:
            self.refused.append(tenant)
        else:
            self._now[tenant] += 1
            self.begun.append(tenant)
        return receipt

    def held(self) -> Mapping[str, int]:
        """Return how many waits of each tenant are counted, but for those of none."""
        return {tenant: count for tenant, count in self._now.items() if count}

    def end(self, tenant: str, receipt: str) -> None:
        """End a wait, and count."""
        super().end(tenant, receipt)
        self._now[tenant] -= 1
