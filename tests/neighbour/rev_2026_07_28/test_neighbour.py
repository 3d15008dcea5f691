"""A tenant notices nothing of a greedy one under the limits of a plan, and much of it where any of them is left out."""

from dataclasses import replace

import pytest

from mcp_tasks.tasks.plan import Plan
from tests.neighbour.rev_2026_07_28.tenants import LIMITED, measure, ratios

pytestmark = pytest.mark.slow

AT_MOST = 1.1


def test_a_tenant_is_served_as_if_it_was_alone() -> None:
    alone, beside = (measure(LIMITED, greedy=greedy) for greedy in (False, True))

    assert all(len(taken) > 8 for taken in beside.values())
    assert max(ratios(alone, beside).values()) <= AT_MOST


@pytest.mark.parametrize(
    ("plan", "slower"),
    [
        pytest.param(replace(LIMITED, requests_per_second=None), "tools/list", id="requests"),
        pytest.param(replace(LIMITED, held_waits=None), "inline call", id="waits"),
        pytest.param(replace(LIMITED, running_tasks=100_000, subject_share=1), "start of a task", id="runs"),
    ],
)
def test_without_any_of_the_limits_it_waits(plan: Plan, slower: str) -> None:
    alone, beside = (measure(plan, greedy=greedy) for greedy in (False, True))

    assert ratios(alone, beside)[slower] > 10 * AT_MOST
