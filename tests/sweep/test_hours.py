"""Lost work is found within an hour among 50,000 live tasks, by half of the calls that a small region allows."""

from datetime import timedelta

import pytest

from tests.sweep.hours import HOUR, HOURS, Hours

AT_ONCE = timedelta(seconds=1)
FUNCTION = timedelta(minutes=4)
SECONDS = HOURS * 3600


@pytest.mark.parametrize(
    ("live", "over", "lost"),
    [
        pytest.param(1_000, AT_ONCE, 0.05),
        pytest.param(12_000, AT_ONCE, 0.05, marks=pytest.mark.slow),
        pytest.param(24_000, AT_ONCE, 0.05, marks=pytest.mark.slow),
        pytest.param(50_000, AT_ONCE, 0.01, marks=pytest.mark.slow),
        pytest.param(50_000, HOUR, 0.05, marks=pytest.mark.slow),
    ],
)
def test_every_task_is_looked_at_and_lost_work_found_within_an_hour(live: int, over: timedelta, lost: float) -> None:
    figures = Hours(live, over=over, lost=lost).pass_by()

    assert figures.gap <= HOUR
    assert figures.found <= HOUR
    assert figures.sweep < FUNCTION
    assert figures.described / SECONDS < 5
    assert figures.listed / SECONDS < 1


@pytest.mark.slow
def test_where_executions_cannot_be_listed_it_takes_longer() -> None:
    """And so the figures above are those of the list."""
    hours = Hours(24_000, over=AT_ONCE, lost=0.01)
    hours.machine.lists.size = 0

    assert hours.pass_by().gap > HOUR
