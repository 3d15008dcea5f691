"""A process that handles an input request may crash at any call: nothing is lost or requested twice."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from mcp_tasks.tasks.model import JSON
from tests.harness.executions import active, executions
from tests.harness.faults import death, places
from tests.harness.gateway import BadGateway
from tests.harness.rev_2026_07_28.responding import open_requests, respond
from tests.harness.tasks import DeployedTask, DeployedTasks

CALLS_OF_AN_INPUT_REQUEST = (
    *("PutItem", "TransactWriteItems"),  # serve_mcp stores the arguments, and creates the task
    *("PutItem", "StartExecution", "UpdateItem"),  # makes the key of tickets, starts the work, and says so
    *("Invoke", "Invoke", "Invoke", "PutItem"),  # run_tool has its run loaded, and a step stored
    *("Invoke", "TransactWriteItems"),  # then the input requests
    "TransactWriteItems",  # suspend_task publishes that
)
CALLS_OF_AN_ANSWER = (
    "TransactWriteItems",  # serve_mcp takes the first of two answers
    *("TransactWriteItems", "SendTaskSuccess"),  # and the last, which lets the work go on
    *("Invoke", "Invoke", "TransactWriteItems"),  # run_tool has its run loaded, and comes to the next input requests
    "TransactWriteItems",  # suspend_task publishes that
    "SendTaskSuccess",  # on_task_change lets the work go on once more
    *("TransactWriteItems", "SendTaskSuccess"),  # the same for the last input request
    *("Invoke", "Invoke", "PutItem", "TransactWriteItems"),  # run_tool has its outcome recorded
    "SendTaskSuccess",
)
CALLS_OF_SILENCE = (
    *("Invoke", "TransactWriteItems"),  # run_tool has its run loaded: the input requests timed out
    *("Invoke", "TransactWriteItems"),  # it comes to the next ones
    "TransactWriteItems",  # suspend_task publishes that
    "SendTaskSuccess",  # on_task_change lets the work go on that does
)
CALLS_OF_A_CANCEL = (
    *("TransactWriteItems", "StopExecution"),  # serve_mcp
    "StopExecution",  # on_task_change, once more
)

Happening = Callable[[DeployedTasks], None]


def says(words: str) -> JSON:
    return {"action": "accept", "content": {"said": words}}


def start(tasks: DeployedTasks) -> None:
    tasks.start("curious", batches=[["a", "b"], ["c"]], seconds=3600)


def answer(tasks: DeployedTasks) -> None:
    task = the(tasks)
    for key in ("a", "b", "c"):
        answered(partial(respond, task, **{key: says(key)}))


def answered(sentence: Callable[[], None]) -> bool:
    """Return whether the server responded."""
    try:
        sentence()
    except BadGateway:
        return False
    return True


def the(tasks: DeployedTasks) -> DeployedTask:
    (task,) = tasks.all()
    return task


def brought_to_an_end(tasks: DeployedTasks) -> str:
    """Respond to each input request once, until the task has ended; returns its result."""
    task, answered_keys = the(tasks), set[str]()
    for _ in range(4):
        tasks.advance(minutes=6)
        for key in open_requests(task):
            assert key not in answered_keys, f"{key} was answered, and requested again"
            if answered(partial(respond, task, **{key: says(key)})):
                answered_keys.add(key)
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED"])
    return task.result.text


def test_these_are_the_calls_of_an_input_request(tasks: DeployedTasks) -> None:
    with death("before") as calls:
        start(tasks)

    assert tuple(calls) == CALLS_OF_AN_INPUT_REQUEST


@places(CALLS_OF_AN_INPUT_REQUEST)
def test_an_input_request_survives_every_crash(
    tasks: DeployedTasks, place: int, when: Literal["before", "after"]
) -> None:
    with death(when, place) as calls:
        is_answered = answered(lambda: start(tasks))
        tasks.advance(minutes=6)
    assert len(calls) > place
    assert is_answered or place < 5
    if not is_answered and not tasks.all():
        assert (active(tasks), executions(tasks)) == (0, [])
        return

    assert list(open_requests(the(tasks))) == ["a", "b"]
    assert brought_to_an_end(tasks) == "noted, a, b, c"


def test_these_are_the_calls_of_an_answer(tasks: DeployedTasks) -> None:
    start(tasks)
    with death("before") as calls:
        answer(tasks)

    assert tuple(calls) == CALLS_OF_AN_ANSWER
    assert the(tasks).result.text == "noted, a, b, c"


@places(CALLS_OF_AN_ANSWER)
def test_a_response_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    start(tasks)
    with death(when, place) as calls:
        answer(tasks)
        tasks.advance(minutes=6)

    assert len(calls) > place
    assert brought_to_an_end(tasks) == "noted, a, b, c"


def test_these_are_the_calls_when_nobody_answers(tasks: DeployedTasks) -> None:
    start(tasks)
    tasks.advance(minutes=59)
    with death("before") as calls:
        tasks.advance(minutes=2)

    assert tuple(calls) == CALLS_OF_SILENCE


@places(CALLS_OF_SILENCE)
def test_a_timeout_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    start(tasks)
    tasks.advance(minutes=59)
    with death(when, place) as calls:
        tasks.advance(minutes=7)

    assert len(calls) > place
    assert list(open_requests(the(tasks))) == ["c"]
    assert brought_to_an_end(tasks) == "noted, nobody, nobody, c"


def test_these_are_the_calls_of_a_cancel_while_suspended(tasks: DeployedTasks) -> None:
    start(tasks)
    with death("before") as calls:
        the(tasks).cancel()

    assert tuple(calls) == CALLS_OF_A_CANCEL


@places(CALLS_OF_A_CANCEL)
def test_a_cancel_while_suspended_survives_every_crash(
    tasks: DeployedTasks, place: int, when: Literal["before", "after"]
) -> None:
    start(tasks)
    with death(when, place) as calls:
        is_answered = answered(lambda: the(tasks).cancel())
        tasks.harness.run_until_idle()
    cancelled = the(tasks).status == "cancelled"

    assert len(calls) > place
    assert cancelled or not is_answered
    assert (active(tasks), executions(tasks)) == ((0, ["ABORTED"]) if cancelled else (1, ["RUNNING"]))
    if not cancelled:
        assert brought_to_an_end(tasks) == "noted, a, b, c"
