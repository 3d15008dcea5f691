"""The errors of the domain: what clients are told, and what is counted of it."""

from collections.abc import Callable

import pytest

from mcp_tasks.limits.waits import TASK_ENDS
from mcp_tasks.tasks.errors import (
    LimitReached,
    NewerSchema,
    OutcomeRecorded,
    PayloadRefused,
    TenantSuspended,
    TooManyTasks,
    TooManyWait,
    UnreadableItem,
)
from mcp_tasks.tasks.model import Returned


@pytest.mark.parametrize(
    ("make", "reason", "limit", "message"),
    [
        (lambda: TooManyTasks(9), "too_many_tasks", 9, "this tenant may run 9 tasks at a time"),
        (lambda: TooManyTasks(9, share=3), "too_many_tasks", 3, "this subject may run 3 tasks at a time"),
        # A share of all is the tenant's own limit.
        (lambda: TooManyTasks(9, share=9), "too_many_tasks", 9, "this tenant may run 9 tasks at a time"),
        (
            lambda: TooManyWait(4, whose="subject"),
            "suspended_tasks",
            4,
            "of this subject, 4 tasks may wait for input at a time",
        ),
    ],
)
def test_a_limit_of_tasks_says_whose_it_is_and_that_it_is_worth_another_try_soon(
    make: Callable[[], LimitReached], reason: str, limit: int, message: str
) -> None:
    error = make()

    assert (error.reason, error.limit, error.remaining, error.retry_after) == (reason, limit, 0, TASK_ENDS)
    assert str(error) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (TenantSuspended, "this tenant is suspended: its operator can say why"),
        (lambda: OutcomeRecorded(Returned(result={})), "the task has another outcome"),
        (lambda: UnreadableItem("task#1", "is damaged"), "item task#1 is damaged"),
        (
            lambda: NewerSchema("task#1", found=7, known=6),
            "item task#1 has schema 7; this release reads up to 6: deploy a newer release",
        ),
        (lambda: PayloadRefused("task#1"), "item task#1 cannot be read: its object is gone, or may not be read"),
    ],
)
def test_an_error_says_what_is_wrong(make: Callable[[], Exception], message: str) -> None:
    assert str(make()) == message


def test_the_outcome_that_stays_is_known() -> None:
    assert OutcomeRecorded(Returned(result={"content": []})).outcome == Returned(result={"content": []})
