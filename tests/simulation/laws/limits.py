"""What must hold of limits: a refusal names one that was reached, and none is passed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks.limits.waits import PLAN_FRESH
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.plan import Plan
from tests.kit import NOON
from tests.simulation.history import Start
from tests.simulation.plans import share

if TYPE_CHECKING:
    from tests.simulation.world import World

LIMIT_REACHED: Final = -31050
LIMIT_REACHED_META: Final = "io.github.mcp-task-server/limitReached"
SUSPENDED: Final = "tenant_suspended"
TOO_MANY_TASKS: Final = "too_many_tasks"

BUCKETS: Final = {
    "requests_per_second": "requests",
    "sessions_per_day": "sessions",
    "keys_per_day": "keys",
    "bytes_per_day": "bytes",
}
"""The bucket that is empty where a limit was reached."""

REASONS: Final = (SUSPENDED, TOO_MANY_TASKS, "suspended_tasks", "stored_bytes", "held_waits", *BUCKETS)
"""Which limits clients are refused by, in the long run."""

LONGEST_KEPT: Final = timedelta(hours=26)
"""Longer than any task of a story counts."""

LEAST: Final = len('{"owner":"owner-ada"}')
"""Bytes of the arguments that each call has at the least, beside what some are filled up with."""

SOON: Final = timedelta(minutes=1)
"""By then somebody is served again who is refused for what does not last."""

ROUNDED: Final = timedelta(seconds=1)

ARGUMENTS: Final = 60
"""Bytes that no call's arguments are longer than, but for those that no limit allows."""


def is_refused(message: Mapping[str, Any]) -> bool:
    """Return whether a message says that a limit was reached."""
    return bool(message.get("error", {}).get("code") == LIMIT_REACHED)


def _limits_of(result: Mapping[str, Any], *, has_key: bool) -> Iterator[str]:
    """Yield the limits that count a request with this result."""
    yield "requests_per_second"
    if "serverInfo" in result:
        yield "sessions_per_day"
    if has_key and (result.get("resultType") == "task" or "task" in result):
        yield "keys_per_day"


@dataclass(frozen=True, slots=True)
class Mark:
    """How far everything was that refusals are held against, when a request was sent."""

    at: datetime
    holdings: int
    buckets: int
    asked: int
    waits: int
    begun: int


@dataclass(slots=True)
class Limits:
    """Holds what clients are answered against the plans that were in force meanwhile."""

    world: "World"
    moved: datetime = NOON
    """When the last move ended."""

    def mark(self) -> Mark:
        """Return where a request begins."""
        buckets, waits = self.world.buckets, self.world.held_waits
        return Mark(
            at=self.world.clock.now(),
            holdings=len(self.world.store.holdings) - 1,
            buckets=len(buckets.refused),
            asked=len(buckets.asked),
            waits=len(waits.refused),
            begun=len(waits.begun),
        )

    def answered(self, owner_key: str, mark: Mark, message: Mapping[str, Any], *, has_key: bool) -> None:
        """Take a message that a caller was answered with, whose request may have an idempotency key."""
        plans = self.world.plans.since(tenant_of(owner_key), mark.at)
        # Where the plan was changed a minute ago, every process knows of it.
        known = self.world.plans.since(tenant_of(owner_key), mark.at - PLAN_FRESH)
        if is_refused(message):
            self.refused(owner_key, mark, plans, message["error"]["data"])
        elif LIMIT_REACHED_META in message.get("result", {}).get("_meta", {}):
            self.refused(owner_key, mark, plans, message["result"]["_meta"][LIMIT_REACHED_META])
        elif "method" not in message:
            may_be = any(not plan.suspended for plan in known)
            self.world.demand(may_be or "error" in message, f"{owner_key} is suspended, and is served")
            if "result" in message:
                self._counted(tenant_of(owner_key), mark, plans, _limits_of(message["result"], has_key=has_key))

    def waited(self, owner_key: str, mark: Mark) -> None:
        """Demand that a caller's wait was counted, where its tenant may hold so many connections at a time."""
        limited = all(plan.held_waits is not None for plan in self.world.plans.since(tenant_of(owner_key), mark.at))
        counted = tenant_of(owner_key) in self.world.held_waits.begun[mark.begun :]
        self.world.demand(counted or not limited, f"{owner_key} waits, and that is not counted")

    def _counted(self, tenant: str, mark: Mark, plans: Sequence[Plan], limits: Iterable[str]) -> None:
        """Demand that what a request used was counted, where the tenant's plan has these limits."""
        counted = {(owner, bucket) for owner, bucket, _ in self.world.buckets.asked[mark.asked :]}
        for limit in limits:
            if all(getattr(plan, limit) is not None for plan in plans):
                was = (tenant, BUCKETS[limit]) in counted
                self.world.demand(was, f"what {tenant} is served is not counted as one of its {limit}")

    def refused(self, owner_key: str, mark: Mark, plans: Sequence[Plan], data: Mapping[str, Any]) -> None:
        """Demand that the limit that a refusal names was reached, and is one of the plan's."""
        reason = data["reason"]
        self.world.trace.count(f"refused: {reason}")
        self.world.trace.say(f"  refused: {dict(data)}")
        earliest, latest = self._again(reason, mark)
        after = timedelta(seconds=data["retryAfter"])
        self.world.demand(max(ROUNDED, earliest) <= after <= latest, f"{reason}: try again after {after}")
        if reason == SUSPENDED:
            reached = any(plan.suspended for plan in plans)
        else:
            whose = self._whose(owner_key, reason, data, plans)
            reached = any(self._reached(owner, mark, reason, data["limit"]) for owner in whose)
        self.world.demand(reached, f"{owner_key} is refused by {reason}, which was not reached: {dict(data)}")

    def _again(self, reason: str, mark: Mark) -> tuple[timedelta, timedelta]:
        """Return when the earliest and the latest is that somebody may be served again who was refused since then."""
        empty = self.world.buckets.refused[mark.buckets :]
        fills = [each.fills_in for each in empty if each.bucket == BUCKETS.get(reason)]
        if not fills:
            return timedelta(), LONGEST_KEPT if reason == "stored_bytes" else SOON
        # It may have been suspended before or after it looked at the time.
        about = self.world.skew + ROUNDED + (self.world.clock.now() - mark.at)
        # A process takes requests by the batch, and knows for how long none are left.
        about += SOON if reason == "requests_per_second" else timedelta()
        return min(fills) - about, max(fills) + about

    def _whose(self, owner_key: str, reason: str, data: Mapping[str, Any], plans: Sequence[Plan]) -> list[str]:
        """Return whose limit it may be by its value: the tenant's, or that of the subject, which is its share of it."""
        name = "active_tasks" if reason == TOO_MANY_TASKS else reason
        limits = [(plan, limit) for plan in plans if (limit := getattr(plan, name)) is not None]
        is_tenants = any(limit == data["limit"] for _, limit in limits)
        is_subjects = any(share(plan, limit) == data["limit"] for plan, limit in limits)
        self.world.demand(is_tenants or is_subjects, f"{reason} {data['limit']} is of no plan")
        self.world.demand(0 <= data["remaining"] < data["limit"], f"{reason}: {data['remaining']} are left")
        return [tenant_of(owner_key)] * is_tenants + [owner_key] * is_subjects

    def _reached(self, owner: str, mark: Mark, reason: str, limit: float) -> bool:
        held = self.world.store.holdings[mark.holdings :]
        match reason:
            case "too_many_tasks":
                return max(each.active[owner] for each in held) >= limit
            case "suspended_tasks":
                return max(each.suspended[owner] for each in held) >= limit
            case "stored_bytes":
                return max(each.kept[owner] for each in held) + ARGUMENTS > limit
            case "held_waits":
                return owner in self.world.held_waits.refused[mark.waits :]
            case _:
                empty = self.world.buckets.refused[mark.buckets :]
                return (owner, BUCKETS.get(reason)) in [(each.owner, each.bucket) for each in empty]

    def after_a_move(self) -> None:
        """Demand that buckets and held waits agree with our own counts, and that no task began beyond a limit."""
        starts, asked = self.world.store.starts.new(self), Counter[tuple[str, str]]()
        for owner, bucket, count in self.world.buckets.asked.new(self):
            asked[owner, bucket] += count
        for start in starts:
            self._may_start(start)
        for tenant, started in Counter(tenant_of(start.owner_key) for start in starts).items():
            limited = all(plan.bytes_per_day is not None for plan in self.world.plans.since(tenant, self.moved))
            counted = asked[tenant, BUCKETS["bytes_per_day"]] >= started * (LEAST + len(self.world.padding))
            self.world.demand(counted or not limited, f"not all that {tenant} sent counts as its bytes_per_day")
        self.moved = self.world.clock.now()
        for wrong in (self.world.buckets.wrong, self.world.held_waits.wrong):
            for each in wrong:
                self.world.demand(False, each)
            wrong.clear()

    def _may_start(self, start: Start) -> None:
        tenant = tenant_of(start.owner_key)
        plans = self.world.plans.since(tenant, self.moved)
        most = max(inf if plan.suspended_tasks is None else plan.suspended_tasks for plan in plans)
        waits = f"{tenant} starts a task, and {start.suspended} of {most} wait for input"
        self.world.demand(start.suspended < most, waits)
        # What is kept without a limit is not counted.
        ever = self.world.plans.since(tenant, NOON)
        if all(plan.stored_bytes is not None for plan in ever):
            most = max(plan.stored_bytes or 0 for plan in plans)
            self.world.demand(start.kept < most, f"{tenant} starts a task, and keeps {start.kept} of {most} bytes")
