"""How many bytes of arguments and results a tenant may keep, and when there is room again."""

from datetime import datetime, timedelta

import pytest

from mcp_tasks.tasks.errors import ArgumentsTooLarge, LimitReached
from mcp_tasks.tasks.stored_bytes import check_room, kept_until
from tests.kit import NOON, a_task

HOUR = timedelta(hours=1)
KEPT = {NOON + 3 * HOUR: 30, NOON + HOUR: 40, NOON + 2 * HOUR: 20}
"""Of 100 bytes, 10 are left; in an hour 50, in two 70, and in three all."""


@pytest.mark.parametrize(
    ("expires", "until"), [(0, 60), (1, 60), (59, 60), (60, 120)], ids=["at noon", "after noon", "before one", "at one"]
)
def test_what_a_task_keeps_is_counted_until_its_hour_is_over(expires: int, until: int) -> None:
    task = a_task(NOON - HOUR, ttl=HOUR + timedelta(minutes=expires))

    assert kept_until(task) == NOON + timedelta(minutes=until)


@pytest.mark.parametrize(("kept", "size"), [(KEPT, 10), (KEPT, 0), ({}, 100), ({NOON + HOUR: 100}, 0)])
def test_what_is_left_may_be_used_up(kept: dict[datetime, int], size: int) -> None:
    check_room(kept, size, 100, whose="tenant", now=NOON)


@pytest.mark.parametrize(("size", "hours"), [(11, 1), (50, 1), (51, 2), (70, 2), (71, 3), (100, 3)])
def test_it_is_worth_another_try_when_enough_of_what_is_kept_has_expired(size: int, hours: int) -> None:
    with pytest.raises(LimitReached) as caught:
        check_room(KEPT, size, 100, whose="subject", now=NOON)

    error = caught.value
    assert str(error) == "of this subject, 100 bytes of arguments and results may be kept"
    assert (error.reason, error.limit, error.remaining, error.retry_after) == ("stored_bytes", 100, 10, hours * HOUR)


def test_where_a_plan_became_smaller_than_what_is_kept_nothing_remains() -> None:
    with pytest.raises(LimitReached) as caught:
        check_room({NOON + HOUR: 150, NOON + 2 * HOUR: 50}, 60, 100, whose="tenant", now=NOON)

    assert (caught.value.remaining, caught.value.retry_after) == (0, 2 * HOUR)


def test_what_never_fits_is_too_large_whatever_is_kept() -> None:
    with pytest.raises(ArgumentsTooLarge, match="are 101 bytes of JSON; this tool takes at most 100") as caught:
        check_room({}, 101, 100, whose="tenant", now=NOON)

    assert (caught.value.size, caught.value.limit) == (101, 100)
