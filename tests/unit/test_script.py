"""What runs from the top are given of the runs before: the same answers to the same questions, and steps done once."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.authoring.control_signals import AskedOtherwise, Asking
from mcp_tasks.authoring.replay_log import as_json
from mcp_tasks.tasks.model import JSON
from tests.unit.asking import Answers, question

A, B, C = question("a"), question("b"), question("c")


def test_what_nobody_answered_yet_ends_the_run_with_the_question() -> None:
    script = Answers()

    with pytest.raises(Asking) as ends:
        script.ask([A])
    assert ends.value.questions == (A,)
    assert script.asked == ["a"]


def test_what_was_answered_is_given_at_once() -> None:
    script = Answers(answers={"a": {"roots": []}}, asked=["a"])

    assert script.ask([A]) == [{"roots": []}]


def test_answers_come_in_the_order_of_the_questions() -> None:
    script = Answers(answers={"b": {"n": 2}, "a": {"n": 1}}, asked=["a", "b"])

    assert script.ask([A, B]) == [{"n": 1}, {"n": 2}]


def test_only_what_is_missing_is_asked_again_and_all_of_it_is_remembered() -> None:
    script = Answers(answers={"b": {}}, asked=["a", "b", "c"])

    with pytest.raises(Asking) as ends:
        script.ask([A, B, C])
    assert ends.value.questions == (A, C)
    assert script.asked == ["a", "b", "c"]


def test_an_empty_answer_is_an_answer() -> None:
    assert Answers(answers={"a": {}}, asked=["a"]).ask([A]) == [{}]


def test_nothing_is_asked_for_nothing() -> None:
    assert Answers(asked=["a"]).ask([]) == []


@pytest.mark.parametrize(
    ("asked", "now", "words"),
    [
        (["a"], [B], "it asked 'a' the last time and now 'b' instead"),
        (["a", "b"], [B, A], "it asked 'a' the last time and now 'b' instead"),
        (["a", "b"], [A, C], "it asked 'b' the last time and now 'c' instead"),
        (["a", "b"], [A, A], "it asked 'b' the last time and now 'a' instead"),
    ],
)
def test_a_run_that_asks_otherwise_is_given_nothing(asked: list[str], now: list[Any], words: str) -> None:
    script = Answers(answers={"a": {}, "b": {}, "c": {}}, asked=asked)

    with pytest.raises(AskedOtherwise, match=words):
        script.ask(now)


def test_asking_otherwise_is_noticed_across_questions_one_after_the_other() -> None:
    script = Answers(answers={"a": {}, "b": {}}, asked=["a", "b"])
    script.ask([A])

    with pytest.raises(AskedOtherwise):
        script.ask([C])


def test_asking_otherwise_is_noticed_before_anything_new_is_asked() -> None:
    script = Answers(answers={}, asked=["a"])

    with pytest.raises(AskedOtherwise):
        script.ask([C])
    assert script.asked == ["a"]


def test_each_run_may_ask_more_than_the_one_before() -> None:
    script = Answers(answers={"a": {}}, asked=["a"])
    script.ask([A])

    with pytest.raises(Asking):
        script.ask([B])
    assert script.asked == ["a", "b"]


def test_a_run_may_ask_one_by_one_what_the_last_one_asked_at_once() -> None:
    script = Answers(answers={"a": {"n": 1}, "b": {"n": 2}}, asked=["a", "b"])

    assert [script.ask([A]), script.ask([B])] == [[{"n": 1}], [{"n": 2}]]


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d"]), st.integers(0, 4))
def test_only_the_same_order_as_before_is_taken(before: list[str], now: list[str], asked: int) -> None:
    script = Answers(answers={key: {"of": key} for key in before}, asked=before[:asked])
    questions = [question(key) for key in now]

    if now[:asked] == before[:asked]:
        assert script.ask(questions) == [{"of": key} for key in now]
    else:
        with pytest.raises(AskedOtherwise):
            script.ask(questions)


def counted(value: object) -> tuple[list[object], Callable[[], object]]:
    ran: list[object] = []

    def run() -> object:
        ran.append(value)
        return value

    return ran, run


def test_a_step_runs_once_and_is_remembered() -> None:
    script = Answers()
    ran, run = counted({"n": [1]})

    assert [script.step("s", run), script.step("s", run)] == [{"n": [1]}, {"n": [1]}]
    assert len(ran) == 1
    assert script.steps == {"s": {"n": [1]}}


def test_a_step_of_an_earlier_run_is_left_alone() -> None:
    ran, run = counted("new")

    assert Answers(steps={"s": "old"}).step("s", run) == "old"
    assert ran == []


def test_a_step_that_gave_nothing_is_not_run_again() -> None:
    script = Answers()
    ran, run = counted(None)
    script.step("s", run)

    assert Answers(steps=script.steps).step("s", run) is None
    assert len(ran) == 1


def test_steps_are_told_apart_by_their_names() -> None:
    script = Answers()

    assert [script.step(name, lambda name=name: name) for name in ("s", "S", "", "s ")] == ["s", "S", "", "s "]  # type: ignore[misc]  # mypy cannot infer it


def test_a_step_that_failed_is_run_again() -> None:
    script = Answers()

    def fail() -> JSON:
        raise LookupError

    with pytest.raises(LookupError):
        script.step("s", fail)
    assert script.steps == {}
    assert script.step("s", lambda: 7) == 7


def test_the_first_run_sees_what_a_replay_would() -> None:
    assert Answers().step("s", lambda: {"pair": (1, 2), 3: True}) == {"pair": [1, 2], "3": True}


def test_what_a_step_returned_cannot_be_changed_behind_its_back() -> None:
    mine = {"n": 1}
    script = Answers()
    script.step("s", lambda: mine)
    mine["n"] = 2

    assert script.steps == {"s": {"n": 1}}


loop: list[object] = []
loop.append(loop)


@pytest.mark.parametrize(
    "value", [{1, 2}, b"x", object(), float("nan"), float("inf"), {"deep": [1j]}, {(1, 2): 3}, loop]
)
def test_what_json_cannot_say_is_no_result_of_a_step(value: object) -> None:
    with pytest.raises(TypeError, match="step s must return JSON"):
        as_json(value, "s")
    with pytest.raises(TypeError, match="step s must return JSON"):
        Answers().step("s", lambda: value)
