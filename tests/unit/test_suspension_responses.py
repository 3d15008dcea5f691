"""Responses are stored once, all or none, for the owner only; the last one resumes the task."""

import threading
from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.limits.tools import MAX_INPUT_REQUESTS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import StaleTask, TaskNotFound
from mcp_tasks.tasks.model import InputResponse, State, Task
from tests.kit import ADA, BOB, EVE, NOON, IdleExecutor
from tests.unit.jobs import BLUE, COLOUR, DONE, ERROR_RESPONSE, FOLDERS, MINUTE, RED, ROOTS, SIZE
from tests.unit.one_task import OneTask, suspended, with_input_requests

GREEN = InputResponse(result={"action": "accept", "content": {"value": "green"}})


@dataclass(slots=True, kw_only=True)
class Curious(IdleExecutor):
    """An executor that reads the task before it resumes the work."""

    one_task: list[OneTask] = field(default_factory=list)
    seen: list[tuple[State, InputResponse | None]] = field(default_factory=list)

    def resume(self, task: Task) -> None:
        (made,) = self.one_task
        self.seen.append((made.current().state, made.response("colour")))
        IdleExecutor.resume(self, task)


def test_the_last_response_is_kept_and_then_the_work_goes_on() -> None:
    executor = Curious()
    made = suspended(COLOUR, executor=executor)
    executor.one_task.append(made)
    made.clock.advance(MINUTE)

    task = made.answer(colour=RED)

    assert (task.state, task.input_requests, task.resumed_at) == (State.WORKING, (), NOON + MINUTE)
    assert task == made.current()
    assert executor.seen == [(State.WORKING, RED)]
    assert executor.resumed == ["token"]


def test_while_a_response_is_missing_the_work_stays_suspended() -> None:
    made = suspended(COLOUR, SIZE, ROOTS)

    task = made.answer(size=BLUE)

    assert (task.state, task.open_input_requests) == (State.INPUT_REQUIRED, (COLOUR, ROOTS))
    assert (made.response("size"), made.response("colour")) == (BLUE, None)
    assert made.executor.resumed == []
    assert made.answer(colour=RED, roots=FOLDERS).state is State.WORKING
    assert made.executor.resumed == ["token"]


def test_all_responses_may_come_at_once() -> None:
    made = suspended(COLOUR, SIZE)

    task = made.answer(colour=RED, size=BLUE)

    assert (task.state, task.version) == (State.WORKING, 4)
    assert (made.response("colour"), made.response("size")) == (RED, BLUE)


def test_the_first_response_to_an_input_request_stays() -> None:
    made = suspended(COLOUR, SIZE)
    first = made.answer(colour=RED)

    assert made.answer(colour=BLUE) == first
    assert made.response("colour") == RED

    last = made.answer(colour=BLUE, size=BLUE)

    assert (made.response("colour"), made.response("size")) == (RED, BLUE)
    assert made.answer(colour=BLUE, size=RED) == last
    assert (made.response("colour"), made.response("size")) == (RED, BLUE)


def test_an_answer_that_is_repeated_lets_the_work_go_on_once_more() -> None:
    """The process that stored it first may have crashed before it resumed the work."""
    made = suspended(COLOUR)
    made.answer(colour=RED)

    made.answer(colour=RED)

    assert made.executor.resumed == ["token", "token"]


def test_responses_to_what_is_not_asked_are_left_out() -> None:
    made = suspended(COLOUR)
    before = made.current()

    assert made.answer(size=BLUE, roots=GREEN) == before
    assert made.response("size") is None

    made.answer(colour=RED, size=BLUE)

    assert made.response("size") is None


def test_nothing_can_be_answered_before_it_is_published() -> None:
    made = with_input_requests(COLOUR)
    before = made.current()

    assert made.answer(colour=RED) == before
    assert made.response("colour") is None
    assert made.executor.resumed == []


def test_a_response_that_does_not_fit_is_rejected_and_its_input_request_stays_open() -> None:
    made = suspended(COLOUR)
    before = made.current()

    with pytest.raises(BadInputResponse, match="the answer to 'colour' does not fit: value should be"):
        made.answer(colour=GREEN)
    assert made.current() == before
    assert made.response("colour") is None
    assert made.answer(colour=RED).state is State.WORKING


def test_beside_one_that_does_not_fit_no_response_is_taken() -> None:
    made = suspended(COLOUR, SIZE)
    before = made.current()

    with pytest.raises(BadInputResponse, match="'colour'"):
        made.answer(size=BLUE, colour=GREEN)
    assert made.current() == before
    assert made.response("size") is None


def test_a_response_that_does_not_fit_what_is_answered_by_now_is_left_out() -> None:
    made = suspended(COLOUR, SIZE)
    made.answer(colour=RED)

    made.answer(colour=GREEN, size=BLUE)

    assert made.response("colour") == RED


def test_an_error_of_the_client_is_an_answer() -> None:
    made = suspended(COLOUR)

    assert made.answer(colour=ERROR_RESPONSE).state is State.WORKING
    assert made.response("colour") == ERROR_RESPONSE


@pytest.mark.parametrize("stranger", [EVE, BOB], ids=["of another tenant", "of the same tenant"])
def test_nobody_else_can_answer_or_learn_that_something_is_asked(stranger: Caller) -> None:
    made = suspended(COLOUR, session="s")
    before = made.current()

    with pytest.raises(TaskNotFound):
        made.answer(stranger, colour=RED)
    with pytest.raises(TaskNotFound):
        made.answer(stranger, colour=GREEN)
    assert made.current() == before
    assert made.tasks.awaiting_input(stranger, "s") == []


def test_a_task_that_is_gone_cannot_be_answered() -> None:
    made = suspended(COLOUR)
    made.clock.advance(made.task.ttl)

    with pytest.raises(TaskNotFound):
        made.answer(colour=RED)


@pytest.mark.parametrize("end", ["finished", "cancelled"])
def test_answers_to_a_task_that_is_over_are_left_out(end: str) -> None:
    made = suspended(COLOUR)
    if end == "finished":
        made.tasks.finish(ADA.owner_key, made.task.id, DONE)
    else:
        made.cancel()

    assert made.answer(colour=GREEN) == made.current()
    assert made.response("colour") is None
    assert made.executor.resumed == []


def test_an_answer_is_kept_also_when_the_work_cannot_go_on_yet() -> None:
    made = suspended(COLOUR)
    before = made.current()
    made.executor.down = True

    task = made.answer(colour=RED)

    assert (task.state, made.response("colour")) == (State.WORKING, RED)

    made.executor.down = False
    made.reconciler.changed(ADA.owner_key, before, task)

    assert made.executor.resumed == ["token"]


def test_of_two_answers_to_one_input_request_at_once_the_first_stays() -> None:
    made = suspended(COLOUR, SIZE)
    made.rivals.append(lambda: made.answer(colour=BLUE))

    assert made.answer(colour=RED).open_input_requests == (SIZE,)
    assert made.response("colour") == BLUE


def test_of_two_answers_to_two_input_requests_at_once_the_second_lets_the_work_go_on() -> None:
    made = suspended(COLOUR, SIZE)
    made.rivals.append(lambda: made.answer(size=BLUE))

    assert made.answer(colour=RED).state is State.WORKING
    assert (made.response("colour"), made.response("size")) == (RED, BLUE)
    assert made.executor.resumed == ["token"]


def test_a_response_that_loses_to_all_others_is_kept_in_the_end() -> None:
    """A client responds to each request separately, perhaps to all at the same time."""
    keys = [str(n) for n in range(MAX_INPUT_REQUESTS)]
    made = suspended(*(replace(ROOTS, key=key) for key in keys))
    made.rivals.extend(partial(made.answer, **{key: FOLDERS}) for key in keys[1:])

    assert made.answer(**{"0": FOLDERS}).state is State.WORKING
    assert made.rivals == []
    assert all(made.response(key) == FOLDERS for key in keys)


def test_answers_from_many_threads_are_all_kept_and_the_work_goes_on() -> None:
    keys = [str(n) for n in range(20)]
    made = suspended(*(replace(ROOTS, key=key) for key in keys))
    ready, lost = threading.Barrier(len(keys)), list[StaleTask]()

    def answer(key: str) -> None:
        ready.wait()
        try:
            made.answer(**{key: FOLDERS})
        except StaleTask as error:
            lost.append(error)

    threads = [threading.Thread(target=answer, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert lost == []
    assert (made.current().state, set(made.executor.resumed)) == (State.WORKING, {"token"})


def test_a_session_finds_which_of_its_tasks_await_input() -> None:
    made, other = suspended(COLOUR, session="s"), suspended(COLOUR)

    assert made.tasks.awaiting_input(ADA, "s") == [made.task.id]
    assert made.tasks.awaiting_input(ADA, "t") == other.tasks.awaiting_input(ADA, "s") == []

    made.answer(colour=RED)

    assert made.tasks.awaiting_input(ADA, "s") == []
