"""What a plan says of requests, sessions and connections, to the last one, and how a refusal says it."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.engine.admission import Admission, rate_of, seconds
from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.leases import Bucket, Leases
from mcp_tasks.limits.tenants import MAX_LEASED_REQUESTS, MAX_UNLEASED_REQUESTS, MIN_LEASED_REQUESTS
from mcp_tasks.limits.waits import BETWEEN_LEASES, BURST_LASTS, WAIT_ENDS
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.tasks.errors import LimitReached
from mcp_tasks.tasks.plan import Plan
from tests.contract.process import Fuse
from tests.kit import ADA, EVE, FixedClock
from tests.unit.tenant_plans import PlansOfTwo

DAY = timedelta(days=1)


class Process:
    """A process that serves tenants with plans of their own; `fuse.calls` are those to the buckets."""

    def __init__(self, **plans: Plan) -> None:
        self.clock, self.fuse = FixedClock(), Fuse()
        self.memory = MemoryBuckets(self.clock)
        self.buckets = self.fuse.around(self.memory)
        waits = MemoryHeldWaits()
        self.admission = Admission(plans=PlansOfTwo(plans), buckets=self.buckets, held_waits=waits, clock=self.clock)

    def refusal(self) -> LimitReached:
        for _ in range(1_000):
            try:
                self.admission.admit(ADA)
            except LimitReached as refused:
                return refused
        raise AssertionError("a thousand requests were served")

    def taken(self, owner: str, rate: Rate) -> float:
        """Return how many requests of an owner are taken from its bucket."""
        return rate.burst - self.memory.left(owner, "requests", rate)


def fields(error: LimitReached) -> tuple[str, float, float]:
    return error.reason, error.limit, error.remaining


def test_the_plan_of_the_callers_tenant_is_what_counts_and_its_name_is_noted() -> None:
    process = Process(acme=Plan(name="gold"), rival=Plan(name="free", suspended=True))

    with noting() as noted:
        assert process.admission.admit(ADA).name == "gold"
    assert noted == {"plan": "gold"}


# --- sessions


def test_a_tenant_begins_as_many_sessions_in_a_day_as_its_plan_says_and_others_as_theirs() -> None:
    process = Process(acme=Plan(sessions_per_day=2), rival=Plan(sessions_per_day=1))
    for _ in range(2):
        process.admission.begin_session(ADA)

    with pytest.raises(LimitReached) as refused:
        process.admission.begin_session(ADA)
    assert fields(refused.value) == ("sessions_per_day", 2, 0)
    assert refused.value.retry_after == DAY / 2
    process.admission.begin_session(EVE)

    process.clock.advance(DAY / 2)
    process.admission.begin_session(ADA)


def test_sessions_without_a_limit_cost_nothing_and_of_none_there_is_nothing_to_count() -> None:
    process = Process(acme=Plan(), rival=Plan(sessions_per_day=0))

    process.admission.begin_session(ADA)
    with pytest.raises(LimitReached) as refused:
        process.admission.begin_session(EVE)
    assert (*fields(refused.value), refused.value.retry_after) == ("sessions_per_day", 0, 0, DAY)
    assert process.fuse.calls == []


# --- connections


@pytest.mark.parametrize("limit", [0, 3])
def test_one_who_may_hold_no_further_connection_is_told_how_many_and_when_to_ask_again(limit: int) -> None:
    error = Process(acme=Plan(held_waits=limit), rival=Plan(held_waits=9)).admission.too_many_waits(ADA)

    assert (*fields(error), error.retry_after) == ("held_waits", limit, 0, WAIT_ENDS)


def test_one_whose_plan_changed_meanwhile_is_told_of_no_connection() -> None:
    assert Process(acme=Plan()).admission.too_many_waits(ADA).limit == 0


# --- requests


@pytest.mark.parametrize(
    ("plan", "burst"),
    [
        (Plan(requests_per_second=7, burst=3), 3),
        (Plan(requests_per_second=7), 7 * BURST_LASTS.total_seconds()),
        (Plan(requests_per_second=0.5), MAX_LEASED_REQUESTS),
    ],
)
def test_a_burst_is_what_the_plan_says_or_seconds_of_its_rate(plan: Plan, burst: float) -> None:
    assert plan.requests_per_second
    assert rate_of(plan, plan.requests_per_second) == Rate(burst=burst, per_second=plan.requests_per_second)


def test_a_subject_that_used_up_its_share_is_told_the_share() -> None:
    process = Process(acme=Plan(requests_per_second=8, burst=100, subject_share=0.25))

    error = process.refusal()
    assert fields(error) == ("requests_per_second_of_subject", 2, 0)
    process.clock.advance(error.retry_after)
    process.admission.admit(ADA)


def test_the_share_of_a_subject_is_one_request_at_the_least() -> None:
    process = Process(acme=Plan(requests_per_second=1, burst=10, subject_share=0.01))

    error = process.refusal()
    assert fields(error) == ("requests_per_second_of_subject", 0.01, 0)
    # All that it was served is to come in again, but for the one request that is there to begin with.
    assert error.retry_after == (MAX_UNLEASED_REQUESTS + MIN_LEASED_REQUESTS) * timedelta(seconds=100)


@pytest.mark.parametrize(
    ("burst", "batch"),
    [(10, MIN_LEASED_REQUESTS), (60, 6), (109, 10), (110, 11), (1_000, MAX_LEASED_REQUESTS)],
)
def test_a_process_takes_a_tenth_of_a_burst_at_once_after_its_first_request(burst: int, batch: int) -> None:
    process = Process(acme=Plan(requests_per_second=0.001, burst=burst, subject_share=1))
    for _ in range(2):
        process.admission.admit(ADA)

    assert process.taken("acme", Rate(burst=burst, per_second=0.001)) == pytest.approx(1 + batch)


@pytest.mark.parametrize(("wait", "whole"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.1, 2), (2.0, 2)])
def test_a_time_to_wait_is_said_in_whole_seconds_that_are_enough(wait: float, whole: int) -> None:
    assert seconds(timedelta(seconds=wait)) == whole


# --- what a process has taken


BUCKET = Bucket(owner="acme", rate=Rate(burst=10, per_second=0.1), batch=5, reason="")


def test_an_empty_bucket_is_asked_again_when_it_is_ready_and_not_before_a_second_is_over() -> None:
    process = Process()
    leases = Leases(buckets=process.buckets, clock=process.clock)
    process.memory.take("acme", "requests", 10, BUCKET.rate)

    assert leases.fill(BUCKET) == timedelta(seconds=10)
    process.clock.advance(timedelta(seconds=9))
    assert leases.fill(BUCKET) == timedelta(seconds=1)
    assert len(process.fuse.calls) == 1
    process.clock.advance(timedelta(seconds=1))
    assert leases.fill(BUCKET) is None
    assert len(process.fuse.calls) == 2


def test_a_bucket_that_is_nearly_ready_is_left_alone_for_a_second() -> None:
    process = Process()
    leases = Leases(buckets=process.buckets, clock=process.clock)
    process.memory.take("acme", "requests", 10, BUCKET.rate)
    process.clock.advance(timedelta(seconds=9.9))

    assert leases.fill(BUCKET) == BETWEEN_LEASES


def test_what_was_served_beyond_a_batch_is_taken_with_the_next() -> None:
    process = Process()
    leases = Leases(buckets=process.buckets, clock=process.clock)
    assert leases.fill(BUCKET) is None
    leases.use(BUCKET, 4)

    assert leases.fill(BUCKET) is None
    assert process.taken("acme", BUCKET.rate) == pytest.approx(1 + 3 + 5)
    leases.use(BUCKET, 5)
    assert len(process.fuse.calls) == 2
    assert leases.fill(BUCKET) is None
    assert len(process.fuse.calls) == 3
