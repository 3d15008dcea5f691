"""What a replay gets of earlier runs: the same responses to the same input requests, and steps done once."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.authoring.replay_log import as_json
from mcp_tasks.tasks.model import JSON
from tests.unit.contexts import Answers, input_request

A, B, C = input_request("a"), input_request("b"), input_request("c")


def test_what_nobody_answered_yet_ends_the_run_with_the_input_request() -> None:
    replay_log = Answers()

    with pytest.raises(InputNeeded) as ends:
        replay_log.request_input([A])
    assert ends.value.input_requests == (A,)
    assert replay_log.requested == ["a"]


def test_what_was_answered_is_given_at_once() -> None:
    replay_log = Answers(responses={"a": {"roots": []}}, requested=["a"])

    assert replay_log.request_input([A]) == [{"roots": []}]


def test_answers_come_in_the_order_of_the_input_requests() -> None:
    replay_log = Answers(responses={"b": {"n": 2}, "a": {"n": 1}}, requested=["a", "b"])

    assert replay_log.request_input([A, B]) == [{"n": 1}, {"n": 2}]


def test_only_what_is_missing_is_asked_again_and_all_of_it_is_remembered() -> None:
    replay_log = Answers(responses={"b": {}}, requested=["a", "b", "c"])

    with pytest.raises(InputNeeded) as ends:
        replay_log.request_input([A, B, C])
    assert ends.value.input_requests == (A, C)
    assert replay_log.requested == ["a", "b", "c"]


def test_an_empty_answer_is_an_answer() -> None:
    assert Answers(responses={"a": {}}, requested=["a"]).request_input([A]) == [{}]


def test_nothing_is_asked_for_nothing() -> None:
    assert Answers(requested=["a"]).request_input([]) == []


@pytest.mark.parametrize(
    ("earlier", "now", "words"),
    [
        (["a"], [B], "it asked 'a' the last time and now 'b' instead"),
        (["a", "b"], [B, A], "it asked 'a' the last time and now 'b' instead"),
        (["a", "b"], [A, C], "it asked 'b' the last time and now 'c' instead"),
        (["a", "b"], [A, A], "it asked 'b' the last time and now 'a' instead"),
    ],
)
def test_a_run_that_asks_otherwise_is_given_nothing(earlier: list[str], now: list[Any], words: str) -> None:
    replay_log = Answers(responses={"a": {}, "b": {}, "c": {}}, requested=earlier)

    with pytest.raises(NonDeterminismError, match=words):
        replay_log.request_input(now)


def test_asking_otherwise_is_noticed_across_input_requests_one_after_the_other() -> None:
    replay_log = Answers(responses={"a": {}, "b": {}}, requested=["a", "b"])
    replay_log.request_input([A])

    with pytest.raises(NonDeterminismError):
        replay_log.request_input([C])


def test_asking_otherwise_is_noticed_before_anything_new_is_asked() -> None:
    replay_log = Answers(responses={}, requested=["a"])

    with pytest.raises(NonDeterminismError):
        replay_log.request_input([C])
    assert replay_log.requested == ["a"]


def test_each_run_may_ask_more_than_the_one_before() -> None:
    replay_log = Answers(responses={"a": {}}, requested=["a"])
    replay_log.request_input([A])

    with pytest.raises(InputNeeded):
        replay_log.request_input([B])
    assert replay_log.requested == ["a", "b"]


def test_a_run_may_ask_one_by_one_what_the_last_one_asked_at_once() -> None:
    replay_log = Answers(responses={"a": {"n": 1}, "b": {"n": 2}}, requested=["a", "b"])

    assert [replay_log.request_input([A]), replay_log.request_input([B])] == [[{"n": 1}], [{"n": 2}]]


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d"]), st.integers(0, 4))
def test_only_the_same_order_as_before_is_taken(before: list[str], now: list[str], count: int) -> None:
    replay_log = Answers(responses={key: {"of": key} for key in before}, requested=before[:count])
    input_requests = [input_request(key) for key in now]

    if now[:count] == before[:count]:
        assert replay_log.request_input(input_requests) == [{"of": key} for key in now]
    else:
        with pytest.raises(NonDeterminismError):
            replay_log.request_input(input_requests)


def counted(value: object) -> tuple[list[object], Callable[[], object]]:
    ran: list[object] = []

    def run() -> object:
        ran.append(value)
        return value

    return ran, run


def test_a_step_runs_once_and_is_remembered() -> None:
    replay_log = Answers()
    ran, run = counted({"n": [1]})

    assert [replay_log.step("s", run), replay_log.step("s", run)] == [{"n": [1]}, {"n": [1]}]
    assert len(ran) == 1
    assert replay_log.steps == {"s": {"n": [1]}}


def test_a_step_of_an_earlier_run_is_left_alone() -> None:
    ran, run = counted("new")

    assert Answers(steps={"s": "old"}).step("s", run) == "old"
    assert ran == []


def test_a_step_that_gave_nothing_is_not_run_again() -> None:
    replay_log = Answers()
    ran, run = counted(None)
    replay_log.step("s", run)

    assert Answers(steps=replay_log.steps).step("s", run) is None
    assert len(ran) == 1


def test_steps_are_distinguished_by_their_names() -> None:
    replay_log = Answers()

    assert [replay_log.step(name, lambda name=name: name) for name in ("s", "S", "", "s ")] == ["s", "S", "", "s "]  # type: ignore[misc]  # mypy cannot infer it


def test_a_step_that_failed_is_run_again() -> None:
    replay_log = Answers()

    def fail() -> JSON:
        raise LookupError

    with pytest.raises(LookupError):
        replay_log.step("s", fail)
    assert replay_log.steps == {}
    assert replay_log.step("s", lambda: 7) == 7


def test_the_first_run_sees_what_a_replay_would() -> None:
    assert Answers().step("s", lambda: {"pair": (1, 2), 3: True}) == {"pair": [1, 2], "3": True}


def test_what_a_step_returned_cannot_be_changed_behind_its_back() -> None:
    mine = {"n": 1}
    replay_log = Answers()
    replay_log.step("s", lambda: mine)
    mine["n"] = 2

    assert replay_log.steps == {"s": {"n": 1}}


loop: list[object] = []
loop.append(loop)


@pytest.mark.parametrize(
    "value",
    [
        *({1, 2}, b"x", object(), float("nan"), float("inf"), {"deep": [1j]}, {(1, 2): 3}, loop),
        *("\ud800", {"file": "\udce9.pdf"}, {"\udfff": 1}),
    ],
)
def test_what_json_cannot_say_is_no_result_of_a_step(value: object) -> None:
    with pytest.raises(TypeError, match="step s must return JSON"):
        as_json(value, "s")
    with pytest.raises(TypeError, match="step s must return JSON"):
        Answers().step("s", lambda: value)


def test_two_halves_that_meet_are_one_character() -> None:
    assert as_json("\ud83d\ude00", "s") == "😀"
