"""The histogram of how long the tasks of a tool took."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.limits.pace import MAX_REMEMBERED
from mcp_tasks.tasks.durations import BUCKETS, FACTOR, Durations

SECOND = timedelta(seconds=1)


def after(*seconds: float) -> Durations:
    return Durations().adding([timedelta(seconds=each) for each in seconds])


@given(st.floats(0.3, 600_000))
def test_a_duration_is_known_to_a_fifth(seconds: float) -> None:
    window = after(*[seconds] * 30).window(timedelta())

    assert window is not None
    opens, closes = window
    assert opens < timedelta(seconds=seconds) * 1.000001
    assert timedelta(seconds=seconds) <= closes * 1.000001
    assert closes / opens == pytest.approx(FACTOR, rel=0.001)


@given(st.lists(st.floats(0.3, 600_000), min_size=20, max_size=200), st.floats(0, 600_000))
def test_nine_of_ten_tasks_that_are_not_over_end_in_the_window(seconds: list[float], age: float) -> None:
    window = after(*seconds).window(timedelta(seconds=age))
    if window is None:
        assert sum(each > age for each in seconds) < 1
        return
    left = [each for each in seconds if each > age]
    early = sum(timedelta(seconds=each) <= window[0] * 0.999999 for each in left)
    late = sum(timedelta(seconds=each) > window[1] * 1.000001 for each in left)

    assert early <= 0.05 * len(left) + 1
    assert late <= 0.05 * len(left) + 1


def test_two_kinds_of_tasks_are_told_apart_once_the_short_ones_would_be_over() -> None:
    durations = after(*[2] * 30, *[600] * 30)

    assert durations.window(timedelta())[0] < 2 * SECOND  # type: ignore[index]
    assert durations.window(5 * SECOND)[0] > 450 * SECOND  # type: ignore[index]


def test_a_tool_that_got_slower_is_soon_known_as_such() -> None:
    durations = after(*[1] * 10_000)
    assert sum(durations.counts) <= MAX_REMEMBERED

    for _ in range(40):
        durations = durations.adding([100 * SECOND] * 100)
    window = durations.window(timedelta())
    assert window is not None
    assert window[0] > 80 * SECOND


def test_counts_that_are_no_histogram_are_refused() -> None:
    for counts in ([], [1.0] * (BUCKETS + 1), [-1.0] * BUCKETS, [float("nan")] * BUCKETS, [float("inf")] * BUCKETS):
        with pytest.raises(ValueError, match=r"^these are not the counts of a histogram of durations$"):
            Durations(counts)


def test_counts_are_halved_beyond_400_tasks_and_kept_to_two_decimals() -> None:
    durations = after(*[1] * MAX_REMEMBERED)
    sums = [sum(durations.counts)]
    for more in (1, 200, 200):
        durations = durations.adding([SECOND] * more)
        sums.append(sum(durations.counts))

    assert sums == [400, 200.5, 200.25, 200.12]


def test_one_task_that_took_longer_says_how_long_the_next_one_may() -> None:
    durations = after(*[1] * 19, 600)

    assert durations.window(5 * SECOND) is not None
    assert durations.window(700 * SECOND) is None
    assert after(*[1] * 19).window(timedelta()) is None


def test_the_window_leaves_out_a_twentieth_at_its_lower_end_and_no_more() -> None:
    of_20, of_40 = (after(1, *[100] * others).window(timedelta()) for others in (19, 39))

    assert of_20 is not None
    assert of_20[0] < SECOND
    assert of_40 is not None
    assert of_40[0] > 80 * SECOND


def test_what_is_shorter_or_longer_than_all_buckets_is_in_the_first_or_the_last() -> None:
    short, long = after(*[0.01] * 30).window(timedelta()), after(*[10_000_000] * 30).window(timedelta())

    assert short == (timedelta(), SECOND / 4)
    assert long is not None
    assert long[1] > timedelta(days=7)
