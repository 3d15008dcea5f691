"""A run's input requests are stored once when it ends, whichever runs of the tool come late."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_requested, check_size
from mcp_tasks.limits.tools import MAX_INPUT_REQUESTS, MAX_INPUT_REQUESTS_CHARACTERS, MAX_REQUESTED_CHARACTERS
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import InputRequest, State
from tests.kit import ADA, NOON
from tests.unit.jobs import BLUE, COLOUR, DONE, MINUTE, RED, ROOTS, SIZE
from tests.unit.one_task import one_task, suspended, with_input_requests

HOUR = timedelta(hours=1)


def test_what_a_run_asks_is_kept_and_not_shown_before_the_work_is_suspended() -> None:
    made = with_input_requests(COLOUR, SIZE)

    task = made.current()
    assert (task.state, task.version) == (State.WORKING, 2)
    assert (task.input_requests, task.open_input_requests) == ((COLOUR, SIZE), ())
    assert (task.requested, task.requested_at) == (("colour", "size"), NOON)


def test_the_client_may_take_until_shortly_before_the_task_expires() -> None:
    assert one_task().request_input(COLOUR) == HOUR - KEPT


def test_the_first_time_to_run_out_is_waited_for() -> None:
    assert one_task().request_input(replace(COLOUR, timeout=2 * MINUTE), replace(SIZE, timeout=MINUTE), ROOTS) == MINUTE


def test_the_client_may_not_take_longer_than_the_task_lives() -> None:
    assert one_task().request_input(replace(COLOUR, timeout=timedelta(days=3))) == HOUR - KEPT


def test_what_another_run_asked_first_stays_as_it_is() -> None:
    first, other = replace(COLOUR, timeout=10 * MINUTE), replace(COLOUR, timeout=20 * MINUTE)
    made = with_input_requests(first)
    before = made.current()
    made.clock.advance(MINUTE)

    assert made.request_input(other, SIZE) == 9 * MINUTE
    assert made.current() == before

    made.suspend()

    assert made.request_input(other, SIZE) == 9 * MINUTE
    assert made.current().open_input_requests == (first,)


def test_a_run_that_was_overtaken_does_not_ask_what_was_answered() -> None:
    made = suspended(COLOUR, SIZE)
    answered = made.answer(colour=RED, size=BLUE)

    for input_requests in [(COLOUR,), (COLOUR, SIZE), (ROOTS, SIZE)]:
        with pytest.raises(IllegalTransition, match=r"^an input request that has a response cannot be made again$"):
            made.request_input(*input_requests)
    assert made.current() == answered
    assert made.response("colour") == RED


def test_the_next_input_request_is_asked_when_the_ones_before_are_answered() -> None:
    made = suspended(COLOUR)
    made.answer(colour=RED)

    made.request_input(SIZE)

    assert (made.current().requested, made.current().input_requests) == (("colour", "size"), (SIZE,))


@pytest.mark.parametrize("end", ["finished", "cancelled"])
def test_a_task_that_is_over_cannot_ask(end: str) -> None:
    made = one_task()
    if end == "finished":
        made.tasks.finish(ADA.owner_key, made.task.id, DONE)
    else:
        made.cancel()
    over = made.current()

    with pytest.raises(IllegalTransition):
        made.request_input(COLOUR)
    assert made.current() == over


def test_a_task_that_is_gone_cannot_ask() -> None:
    made = one_task()
    made.clock.advance(made.task.ttl)

    with pytest.raises(TaskNotFound):
        made.request_input(COLOUR)


@pytest.mark.parametrize(
    ("input_requests", "words"),
    [
        (
            [replace(ROOTS, key=str(n)) for n in range(MAX_INPUT_REQUESTS + 1)],
            "it makes 51 input requests at once; 50 is the",
        ),
        (
            [replace(COLOUR, params={"message": "x" * MAX_INPUT_REQUESTS_CHARACTERS})],
            "it makes input requests of 100,027 characters",
        ),
        ([replace(COLOUR, params={"message": "x" * 50_000})] * 2, "it makes input requests of 100,054 characters"),
        ([replace(COLOUR, params={"message": "\ud800" * 16_700})], "it makes input requests of 100,227 characters"),
        ([replace(ROOTS, key="x" * MAX_INPUT_REQUESTS_CHARACTERS)], "it makes input requests of 100,008 characters"),
    ],
    ids=["too many", "too large", "too large together", "too large as it is stored", "too long a name"],
)
def test_more_than_can_be_kept_cannot_be_asked_at_once(input_requests: list[InputRequest], words: str) -> None:
    with pytest.raises(InputRequestsTooLarge, match=words):
        check_size(input_requests)


def test_as_much_as_can_be_kept_can_be_asked() -> None:
    check_size([replace(ROOTS, key=str(n)) for n in range(MAX_INPUT_REQUESTS)])
    check_size([replace(COLOUR, params={"message": "x" * 99_973})])


def test_a_task_cannot_be_made_to_keep_ever_more_keys() -> None:
    """Whoever holds a run ticket sends what it likes, again and again."""
    made = one_task()
    for n in range(MAX_REQUESTED_CHARACTERS // 40_000):
        made.request_input(replace(ROOTS, key=f"{n}" * 40_000))
        made.suspend(f"token-{n}")
        made.suspension.give_up(ADA, made.task.id, made.current().open_input_requests[0].key)

    with pytest.raises(InputRequestsTooLarge, match="characters, with those that it made before; "):
        made.request_input(replace(ROOTS, key="x" * 40_000))
    assert made.current().state is State.WORKING


def test_the_keys_of_a_task_may_be_as_long_as_can_be_kept() -> None:
    # As JSON in a list: the key in quotes and brackets, and a comma and a space before the next.
    check_requested(["x" * (MAX_REQUESTED_CHARACTERS - 10)], [replace(ROOTS, key="ab")])
    with pytest.raises(InputRequestsTooLarge):
        check_requested(["x" * (MAX_REQUESTED_CHARACTERS - 10)], [replace(ROOTS, key="abc")])
