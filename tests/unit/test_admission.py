"""Which requests are served, by how many processes there are, and at the cost of how many writes."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.engine import leases
from mcp_tasks.engine.admission import Admission
from mcp_tasks.ports.buckets import Buckets
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.errors import LimitReached, TenantSuspended
from mcp_tasks.tasks.plan import Plan
from tests.cloud import TABLE, OneAtATime, cloud
from tests.contract.process import Fuse
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, FixedClock

ALL_OF_IT = 1.0


class Processes:
    """Processes that share buckets and nothing else; `calls` are those to the buckets."""

    def __init__(self, count: int, plan: Plan, *, clock: FixedClock, buckets: Buckets | None = None) -> None:
        self.clock = clock
        self.fuse = Fuse()
        shared = self.fuse.around(buckets or MemoryBuckets(clock))
        plans, waits = FixedPlans(plan=plan), MemoryHeldWaits()
        self.all = [Admission(plans=plans, buckets=shared, held_waits=waits, clock=clock) for _ in range(count)]

    def served(self, count: int, caller: Callable[[int], Caller] = lambda number: ADA) -> int:
        """Send that many requests, one to each process in turn, and return how many were served."""
        return sum(admits(self.all[number % len(self.all)], caller(number)) for number in range(count))


def admits(process: Admission, caller: Caller = ADA, count: int = 1) -> bool:
    try:
        process.admit(caller, count)
    except LimitReached:
        return False
    return True


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def limited(burst: int, per_second: float = 0.001, share: float = ALL_OF_IT) -> Plan:
    return Plan(requests_per_second=per_second, burst=burst, subject_share=share)


def test_a_tenant_without_a_rate_costs_nothing(clock: FixedClock) -> None:
    processes = Processes(3, Plan(), clock=clock)

    assert processes.served(500) == 500
    assert processes.fuse.calls == []


@pytest.mark.parametrize("limit", [100, 250, 500, 900])
@pytest.mark.parametrize("processes", [1, 5, 10])
def test_of_a_thousand_calls_as_many_are_served_as_the_limit_says_for_a_tenth_of_a_write_each(
    clock: FixedClock, processes: int, limit: int
) -> None:
    some = Processes(processes, limited(limit), clock=clock)

    served = some.served(1_000)

    assert limit <= served <= limit * 1.1
    assert len(some.fuse.calls) <= 100


@pytest.mark.parametrize("limit", [200, 500])
def test_the_same_where_a_thousand_threads_call_at_once(clock: FixedClock, limit: int) -> None:
    some = Processes(10, limited(limit), clock=clock)
    served: list[bool] = []

    def call(process: Admission) -> None:
        served.extend(admits(process) for _ in range(20))

    at_once(*[lambda process=process: call(process) for process in some.all for _ in range(5)])

    assert len(served) == 1_000
    assert limit * 0.9 <= sum(served) <= limit * 1.1
    assert len(some.fuse.calls) <= 100


def test_the_same_on_dynamodb(clock: FixedClock) -> None:
    with cloud() as aws:
        table = Table(client=OneAtATime(aws.dynamodb), name=TABLE, clock=clock)
        some = Processes(10, limited(300), clock=clock, buckets=DynamoBuckets(table=table))

        assert 300 <= some.served(1_000) <= 330
        assert len(some.fuse.calls) <= 100


@pytest.mark.parametrize("per_second", [20, 100])
def test_a_tenant_that_calls_all_the_time_is_served_at_its_rate(clock: FixedClock, per_second: int) -> None:
    some = Processes(5, limited(2 * per_second, per_second), clock=clock)
    some.served(2_000)
    some.fuse.calls.clear()
    served = 0
    for _ in range(600):
        clock.advance(timedelta(seconds=0.1))
        served += some.served(per_second // 5)

    # Twice its rate for a minute.
    assert per_second * 60 * 0.9 <= served <= per_second * 60 * 1.1
    assert len(some.fuse.calls) <= served / 10 + 5 * 60


def test_processes_that_get_one_call_each_let_as_many_through(clock: FixedClock) -> None:
    assert Processes(300, limited(100), clock=clock).served(300) == 100


def test_a_subject_has_half_of_what_its_tenant_has_and_leaves_the_rest_to_others(clock: FixedClock) -> None:
    some = Processes(2, limited(1_000, share=0.5), clock=clock)

    greedy = some.served(2_000)

    assert 500 <= greedy <= 500 + 2 * 25
    assert 1_000 - greedy - 25 <= some.served(1_000, lambda number: BOB) <= 1_000 - greedy + 25


def test_of_a_small_bucket_no_process_takes_what_a_subject_needs_at_others(clock: FixedClock) -> None:
    # Thirty for each subject.
    some = Processes(3, limited(60, share=0.5), clock=clock)

    assert some.served(18) == 18


def test_subjects_that_call_a_few_times_cost_no_write_of_their_own(clock: FixedClock) -> None:
    some = Processes(2, limited(10_000, share=0.5), clock=clock)

    assert some.served(400, lambda number: Caller(tenant="acme", subject=f"subject {number // 8}")) == 400
    assert len(some.fuse.calls) <= 40


def test_no_tenant_uses_what_is_another_ones(clock: FixedClock) -> None:
    some = Processes(1, limited(50), clock=clock)
    some.served(100)

    assert not admits(some.all[0], BOB)
    for other in [EVE, Caller(tenant="acme#", subject="ada"), Caller(tenant="acme#ada", subject="ada"), ANONYMOUS]:
        assert admits(some.all[0], other), other


def test_callers_who_cannot_be_told_apart_have_all_that_their_tenant_has(clock: FixedClock) -> None:
    assert 100 <= Processes(1, limited(100, share=0.1), clock=clock).served(300, lambda number: ANONYMOUS) <= 120


def test_a_refusal_says_what_was_reached_and_when_to_try_again(clock: FixedClock) -> None:
    some = Processes(1, limited(20, per_second=0.1), clock=clock)
    some.served(100)

    with pytest.raises(LimitReached) as refused:
        some.all[0].admit(ADA)

    error = refused.value
    assert (error.reason, error.limit, error.remaining) == ("requests_per_second", 0.1, 0)
    clock.advance(error.retry_after)
    assert admits(some.all[0])


def test_what_may_not_be_refused_counts_all_the_same(clock: FixedClock) -> None:
    some = Processes(1, limited(41), clock=clock)
    for _ in range(100):
        some.all[0].admit(ADA, refusable=False)

    assert not admits(some.all[0])


def test_a_batch_counts_as_many_as_it_has(clock: FixedClock) -> None:
    some = Processes(1, limited(100), clock=clock)

    some.all[0].admit(ADA, 20)
    some.all[0].admit(ADA, 20)

    assert 55 <= some.served(200) <= 80


def test_batches_count_as_many_as_they_have_against_the_share_of_a_subject_too(clock: FixedClock) -> None:
    process = Processes(1, limited(1_000, share=0.5), clock=clock).all[0]

    served = sum(50 for _ in range(40) if admits(process, ADA, 50))

    assert 500 <= served <= 600
    assert admits(process, BOB)


def test_nobody_of_a_suspended_tenant_is_served(clock: FixedClock) -> None:
    some = Processes(1, Plan(suspended=True), clock=clock)

    for refusable in (True, False):
        with pytest.raises(TenantSuspended):
            some.all[0].admit(ADA, refusable=refusable)


def test_a_process_remembers_a_bounded_number_of_callers(clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "MAX_KNOWN_TENANTS", 2)
    some = Processes(1, limited(100, share=0.5), clock=clock)

    some.served(50, lambda number: Caller(tenant=f"tenant {number}", subject="ada"))

    assert len(some.all[0]._leases._all) == 8


def test_connections_are_held_up_to_the_limit_and_counted_until_they_end(clock: FixedClock) -> None:
    process = Processes(1, Plan(held_waits=2), clock=clock).all[0]

    with (
        process.hold(ADA) as first,
        process.hold(BOB) as second,
        process.hold(ADA) as third,
        process.hold(EVE) as other,
    ):
        assert (first, second, third, other) == (True, True, False, True)
    with process.hold(ADA) as first, pytest.raises(ZeroDivisionError), process.hold(ADA):
        raise ZeroDivisionError
    with process.hold(ADA) as first, process.hold(ADA) as second:
        assert (first, second) == (True, True)


def test_a_tenant_without_a_limit_of_connections_holds_any_number_at_no_cost(clock: FixedClock) -> None:
    process = Processes(1, Plan(), clock=clock).all[0]

    with process.hold(ADA) as held:
        assert held
        assert process.held_waits.count("acme") == 0
