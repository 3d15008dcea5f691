"""Machines whose tool asks its client: suspended with no function alive, until the token comes back or time is over."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.stage.bench import Bench
from tests.stage.deploy import client
from tests.stage.lambdas import FunctionDied

MACHINES = pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
DAY = 24 * 3600


def runs(bench: Bench, *runs: Mapping[str, Any] | BaseException) -> None:
    """Let one run of the tool after the other end like this."""
    rest = list(runs)

    def run() -> Mapping[str, Any]:
        end = rest.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end

    bench.runs(run)


def asks(seconds: int) -> Mapping[str, Any]:
    return {"asked": True, "seconds": seconds}


DONE: Mapping[str, Any] = {"asked": False}


def start(bench: Bench, machine: str, suspend: Callable[[str], None] = lambda token: None) -> None:
    bench.suspends(suspend)
    bench.start(machine, after_seconds=0)


@MACHINES
def test_the_tool_runs_again_when_the_token_comes_back(bench: Bench, machine: str) -> None:
    runs(bench, asks(7 * DAY), asks(7 * DAY), DONE)
    start(bench, machine)
    bench.advance(days=3)
    assert (bench.calls, bench.suspended, bench.status) == ([(1, 0)], [(bench.tokens[0], 0)], "RUNNING")

    bench.bring_back(bench.tokens[0])
    assert bench.calls == [(1, 0), (1, 3 * DAY)]
    assert (len(set(bench.tokens)), bench.status) == (2, "RUNNING")

    bench.bring_back(bench.tokens[1])
    assert bench.calls == [(1, 0), (1, 3 * DAY), (1, 3 * DAY)]
    assert (len(bench.suspended), bench.status) == (2, "SUCCEEDED")


@MACHINES
def test_the_tool_runs_again_when_the_time_is_over(bench: Bench, machine: str) -> None:
    runs(bench, asks(3600), DONE)
    start(bench, machine)

    bench.advance(seconds=3599)
    assert bench.calls == [(1, 0)]

    bench.advance(seconds=1)
    assert (bench.calls, bench.status) == ([(1, 0), (1, 3600)], "SUCCEEDED")


@MACHINES
def test_the_token_may_come_back_before_the_function_that_got_it_has_ended(bench: Bench, machine: str) -> None:
    runs(bench, asks(3600), DONE)
    start(bench, machine, lambda token: client("stepfunctions").send_task_success(taskToken=token, output="{}"))

    assert (bench.calls, bench.status) == ([(1, 0), (1, 0)], "SUCCEEDED")


@MACHINES
@pytest.mark.parametrize("trouble", [FunctionDied(), FunctionDied("Sandbox.Timedout"), KeyError("no such table")])
def test_parking_that_fails_is_tried_again_with_another_token(
    bench: Bench, machine: str, trouble: BaseException
) -> None:
    def suspend(token: str) -> None:
        if len(bench.suspended) < 3:
            raise trouble

    runs(bench, asks(3600), DONE)
    start(bench, machine, suspend)
    bench.advance(seconds=10)
    assert [seconds for _, seconds in bench.suspended] == [0, 1, 3]
    assert len(set(bench.tokens)) == 3

    for useless in bench.tokens[:2]:
        with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
            bench.bring_back(useless)
    assert bench.calls == [(1, 0)]

    bench.bring_back(bench.tokens[2])
    assert (bench.calls, bench.status) == ([(1, 0), (1, 10)], "SUCCEEDED")


@MACHINES
def test_parking_that_always_fails_is_recorded(bench: Bench, machine: str) -> None:
    def suspend(token: str) -> None:
        raise FunctionDied

    runs(bench, asks(3600))
    start(bench, machine, suspend)
    bench.advance(minutes=1)

    assert [event["error"] for event in bench.recorded] == ["Runtime.ExitError"]
    assert (len(bench.suspended), bench.status) == (5, "SUCCEEDED")


@MACHINES
def test_parked_work_is_stopped(bench: Bench, machine: str) -> None:
    runs(bench, asks(3600))
    start(bench, machine)
    bench.stop()
    assert bench.status == "ABORTED"

    with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
        bench.bring_back(bench.tokens[0])
    bench.advance(days=9)
    assert (bench.calls, bench.recorded, bench.status) == ([(1, 0)], [], "ABORTED")


@MACHINES
def test_a_token_is_of_no_use_once_the_time_is_over_or_when_it_came_back_before(bench: Bench, machine: str) -> None:
    runs(bench, asks(60), asks(60), DONE)
    start(bench, machine)
    bench.advance(seconds=60)
    bench.bring_back(bench.tokens[1])
    assert bench.calls == [(1, 0), (1, 60), (1, 60)]

    for token in bench.tokens:
        with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
            bench.bring_back(token)


@MACHINES
def test_attempts_count_anew_after_each_answer(bench: Bench, machine: str) -> None:
    runs(bench, FunctionDied(), FunctionDied(), asks(3600), FunctionDied(), DONE)
    start(bench, machine)
    bench.advance(seconds=10)
    bench.bring_back(bench.tokens[0])
    bench.advance(seconds=10)

    assert bench.calls == [(1, 0), (2, 1), (3, 3), (1, 10), (2, 11)]
    assert (bench.recorded[1:], bench.status) == ([], "SUCCEEDED")


@MACHINES
def test_a_machine_times_out_as_a_whole_though_it_is_parked(bench: Bench, machine: str) -> None:
    runs(bench, asks(30 * DAY))
    start(bench, machine)
    bench.advance(days=7, hours=23)
    assert bench.status == "RUNNING"

    bench.advance(hours=1)
    assert (bench.recorded, bench.status) == ([], "TIMED_OUT")
