"""Moto's state machines on the stage's clock: the synthesised machines, with handlers that are made up here.

What `moto_patches` changes inside moto is shown to hold.
"""

import json
import time

import pytest

from tests.stage.bench import TASK, Bench
from tests.stage.deploy import client
from tests.stage.lambdas import FunctionDied


def done() -> None:
    pass


def dies() -> None:
    raise FunctionDied


def raises() -> None:
    raise KeyError("no such key")


def sleeps() -> None:
    time.sleep(100)


def test_what_the_function_returns_is_the_output(bench: Bench) -> None:
    answer = {"asked": False, "said": 'é😀 say "x" \\ $states {% %}\n'}
    bench.runs(lambda: answer)
    bench.start("remind_me", after_seconds=0, text=answer["said"])

    assert bench.recorded == [{**TASK, "output": answer}]
    assert bench.status == "SUCCEEDED"


def test_a_function_that_dies_is_called_again_later_and_later(bench: Bench) -> None:
    bench.runs(dies)
    bench.start("run_tool")
    assert (bench.calls, bench.status) == ([(1, 0)], "RUNNING")

    bench.advance(seconds=6.9)
    assert bench.calls == [(1, 0), (2, 1), (3, 3)]

    bench.advance(minutes=1)
    assert bench.calls == [(1, 0), (2, 1), (3, 3), (4, 7), (5, 15)]
    assert [event["error"] for event in bench.recorded] == ["Runtime.ExitError"]


def test_a_function_that_raises_is_caught_by_the_name_of_its_error(bench: Bench) -> None:
    bench.runs(raises)
    bench.start("run_tool")

    assert [event["error"] for event in bench.recorded] == ["KeyError"]
    assert json.loads(bench.recorded[0]["cause"])["errorMessage"] == "'no such key'"


def test_an_error_in_a_branch_is_caught_outside_of_it(bench: Bench) -> None:
    bench.runs(raises)
    bench.start("remind_me", after_seconds=1)
    bench.advance(seconds=1)

    assert [event["error"] for event in bench.recorded] == ["KeyError"]
    assert bench.status == "SUCCEEDED"


def test_an_expression_that_fails_is_caught(bench: Bench) -> None:
    bench.start("remind_me")

    assert [event["error"] for event in bench.recorded] == ["States.QueryEvaluationError"]


@pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
def test_the_input_says_when_a_run_times_out(bench: Bench, machine: str) -> None:
    bench.runs(sleeps)
    bench.start(machine, timeout=50, after_seconds=0)

    bench.advance(seconds=49)
    assert (bench.recorded, bench.status) == ([], "RUNNING")

    bench.advance(seconds=1)
    assert bench.recorded == [{**TASK, "error": "States.Timeout", "cause": ""}]
    assert bench.status == "SUCCEEDED"


def test_a_machine_times_out_as_a_whole(bench: Bench) -> None:
    bench.start("remind_me", after_seconds=10**6)

    bench.advance(days=7, hours=23)
    assert bench.status == "RUNNING"

    bench.advance(hours=1)
    assert (bench.recorded, bench.status) == ([], "TIMED_OUT")


def test_a_wait_takes_as_long_as_it_should(bench: Bench) -> None:
    bench.runs(done)
    bench.start("remind_me", after_seconds=3600)

    bench.advance(seconds=3599)
    assert (bench.calls, bench.status) == ([], "RUNNING")

    bench.advance(seconds=1)
    assert (bench.calls, bench.status) == ([(1, 3600)], "SUCCEEDED")


def test_a_wait_is_stopped(bench: Bench) -> None:
    bench.start("remind_me", after_seconds=3600)
    bench.stop()
    assert bench.status == "ABORTED"

    bench.advance(hours=2)
    assert (bench.recorded, bench.status) == ([], "ABORTED")


def test_a_back_off_is_stopped(bench: Bench) -> None:
    bench.runs(dies)
    bench.start("run_tool")
    bench.stop()
    bench.advance(minutes=1)

    assert (bench.calls, bench.recorded, bench.status) == ([(1, 0)], [], "ABORTED")


@pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
def test_an_execution_is_stopped_though_its_function_runs_on(bench: Bench, machine: str) -> None:
    woke: list[float] = []

    def sleeps_and_tells() -> None:
        sleeps()
        woke.append(1)

    bench.runs(sleeps_and_tells)
    bench.start(machine, timeout=500, after_seconds=0)
    bench.stop()
    assert (bench.status, woke) == ("ABORTED", [])

    bench.advance(seconds=100)
    assert (bench.status, woke, bench.recorded) == ("ABORTED", [1], [])


def test_an_execution_is_started_once_for_each_name(bench: Bench) -> None:
    bench.start("remind_me", after_seconds=3600)
    first = bench.arn
    bench.start("remind_me", after_seconds=3600)
    assert bench.arn == first

    bench.stop()
    with pytest.raises(client("stepfunctions").exceptions.ExecutionAlreadyExists):
        bench.start("remind_me", after_seconds=3600)


def test_functions_take_turns(bench: Bench) -> None:
    bench.runs(sleeps)
    for number in range(5):
        bench.start("run_tool", timeout=500, name=f"t{number}")
    bench.advance(seconds=100)

    assert bench.calls == [(1, 0)] * 5
    assert bench.status == "SUCCEEDED"
