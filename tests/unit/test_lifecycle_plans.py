"""What the plan of a tenant says of its tasks: how many keys and bytes in a day, how large, and how long."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.engine.limits import Limits
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.tenants import MAX_ARGUMENTS_BYTES
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import ArgumentsTooLarge, LimitReached
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.plan import Plan
from tests.kit import ADA, EVE
from tests.unit.jobs import DAY, MINUTE, job, service, slow
from tests.unit.tenant_plans import of_plans

X: Mapping[str, JSON] = {"name": "é"}
SIZE = len('["job",{"name":"\\u00e9"}]')
HOUR = timedelta(hours=1)


@tool(tasks="always", machine="direct", timeout=5 * MINUTE)
def direct(name: str = "") -> str:
    """Work."""
    return name


def refused(plan: Plan, key: str | None = None) -> tuple[str, float, float]:
    """Return what the third call of a tenant is refused for."""
    tasks = of_plans(acme=plan, rival=plan)
    for number in range(2):
        tasks.start(ADA, job, X, key=key and f"{key}{number}")
    with pytest.raises(LimitReached) as limit:
        tasks.start(ADA, job, X, key=key)
    # What one tenant used is not another one's.
    tasks.start(EVE, job, X, key=key)
    tasks.ports.clock.sleep(limit.value.retry_after)
    tasks.start(ADA, job, X, key=key)
    return limit.value.reason, limit.value.limit, limit.value.remaining


def test_a_tenant_uses_as_many_keys_in_a_day_as_its_plan_says() -> None:
    assert refused(Plan(keys_per_day=2), key="k") == ("keys_per_day", 2, 0)


def test_a_tenant_sends_as_many_bytes_in_a_day_as_its_plan_says_counted_as_they_are_stored() -> None:
    assert refused(Plan(bytes_per_day=2 * SIZE)) == ("bytes_per_day", 2 * SIZE, 0)


def test_a_call_takes_all_of_its_bytes_or_none_and_is_told_how_many_are_left() -> None:
    tasks = of_plans(acme=Plan(bytes_per_day=SIZE + 3))
    tasks.start(ADA, job, X)

    for _ in range(2):
        with pytest.raises(LimitReached) as limit:
            tasks.start(ADA, job, X)
        assert limit.value.remaining == 3


def test_a_call_a_microsecond_early_is_told_of_a_byte_less_than_it_needs() -> None:
    tasks = of_plans(acme=Plan(bytes_per_day=SIZE))
    tasks.start(ADA, job, X)
    tasks.ports.clock.sleep(DAY - timedelta(microseconds=1))

    with pytest.raises(LimitReached) as limit:
        tasks.start(ADA, job, X)
    assert limit.value.remaining == SIZE - 1


def test_a_call_of_more_bytes_than_a_day_allows_can_never_be_made() -> None:
    with pytest.raises(ArgumentsTooLarge) as error:
        of_plans(acme=Plan(bytes_per_day=SIZE - 1)).start(ADA, job, X)
    assert str(error.value) == str(ArgumentsTooLarge(SIZE, SIZE - 1))
    of_plans(acme=Plan(bytes_per_day=SIZE)).start(ADA, job, X)


def test_calls_without_a_key_use_none() -> None:
    tasks = of_plans(acme=Plan(keys_per_day=1))

    for _ in range(3):
        tasks.start(ADA, job, X)


def test_what_a_plan_does_not_say_is_without_a_limit_and_not_counted() -> None:
    tasks = of_plans(acme=Plan(name="gold"))

    assert [tasks.start(ADA, job, X, key=f"k{n}").plan for n in range(3)] == ["gold"] * 3
    assert vars(tasks.ports.buckets)["_full_at"] == {}


@pytest.mark.parametrize("made", [job, direct, slow])
def test_arguments_are_as_large_as_the_plan_or_the_stage_says_and_not_a_byte_larger(made: Tool) -> None:
    smallest = min(Limits().arguments_bytes, Limits().machine_arguments_bytes)
    for plan, stage, most in ((100, smallest, 100), (smallest, 90, 90), (None, 90, 90)):
        limits = Limits(arguments_bytes=stage, machine_arguments_bytes=stage).within(Plan(arguments_bytes=plan))
        limits.completed(made, {}, most)
        with pytest.raises(ArgumentsTooLarge, match=f"{most + 1:,}.*{most:,}|{most:,}.*{most + 1:,}"):
            limits.completed(made, {}, most + 1)


def test_the_size_of_a_call_is_that_of_its_shortest_json() -> None:
    service(Limits(arguments_bytes=SIZE)).start(ADA, job, X)
    with pytest.raises(ArgumentsTooLarge):
        service(Limits(arguments_bytes=SIZE - 1)).start(ADA, job, X)


def test_a_state_machine_of_its_own_is_given_less_than_a_run_can_read() -> None:
    limits = Limits(arguments_bytes=200, machine_arguments_bytes=100)
    for made in (job, direct):
        limits.completed(made, {}, 200)
    limits.completed(slow, {}, 100)
    with pytest.raises(ArgumentsTooLarge):
        limits.completed(slow, {}, 101)


def test_a_plan_cannot_give_more_than_a_stage_allows_and_may_give_less() -> None:
    stage = Limits(longest_ttl=DAY, arguments_bytes=100, machine_arguments_bytes=50)

    assert stage.within(Plan()) == stage
    assert stage.within(Plan(longest_ttl_seconds=2 * 24 * 3_600, arguments_bytes=MAX_ARGUMENTS_BYTES)) == stage
    assert stage.within(Plan(longest_ttl_seconds=3_600, arguments_bytes=20)) == Limits(
        longest_ttl=HOUR, arguments_bytes=20, machine_arguments_bytes=20
    )


def test_a_task_is_kept_no_longer_than_its_tenants_plan_says() -> None:
    task = of_plans(acme=Plan(longest_ttl_seconds=3_600)).start(ADA, slow, {}, ttl=DAY)

    assert (task.ttl, task.timeout) == (HOUR, HOUR - KEPT)
