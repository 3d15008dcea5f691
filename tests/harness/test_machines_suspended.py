"""State machines whose tool requests input: suspended without a function until the token comes or they time out."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.machine_run import MachineRun

MACHINES = pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
DAY = 24 * 3600


def runs(machine_run: MachineRun, *runs: Mapping[str, Any] | BaseException) -> None:
    """Let one run of the tool after the other end like this."""
    rest = list(runs)

    def run() -> Mapping[str, Any]:
        end = rest.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end

    machine_run.runs(run)


def requests_input(seconds: int) -> Mapping[str, Any]:
    return {"asked": True, "seconds": seconds}


DONE: Mapping[str, Any] = {"asked": False}


def start(machine_run: MachineRun, machine: str, suspend: Callable[[str], None] = lambda token: None) -> None:
    machine_run.suspends(suspend)
    machine_run.start(machine, after_seconds=0)


@MACHINES
def test_the_tool_runs_again_when_the_token_comes_back(machine_run: MachineRun, machine: str) -> None:
    runs(machine_run, requests_input(7 * DAY), requests_input(7 * DAY), DONE)
    start(machine_run, machine)
    machine_run.advance(days=3)
    assert (machine_run.calls, machine_run.suspended, machine_run.status) == (
        [(1, 0)],
        [(machine_run.tokens[0], 0)],
        "RUNNING",
    )

    machine_run.send_task_success(machine_run.tokens[0])
    assert machine_run.calls == [(1, 0), (1, 3 * DAY)]
    assert (len(set(machine_run.tokens)), machine_run.status) == (2, "RUNNING")

    machine_run.send_task_success(machine_run.tokens[1])
    assert machine_run.calls == [(1, 0), (1, 3 * DAY), (1, 3 * DAY)]
    assert (len(machine_run.suspended), machine_run.status) == (2, "SUCCEEDED")


@MACHINES
def test_the_tool_runs_again_when_the_time_is_over(machine_run: MachineRun, machine: str) -> None:
    runs(machine_run, requests_input(3600), DONE)
    start(machine_run, machine)

    machine_run.advance(seconds=3599)
    assert machine_run.calls == [(1, 0)]

    machine_run.advance(seconds=1)
    assert (machine_run.calls, machine_run.status) == ([(1, 0), (1, 3600)], "SUCCEEDED")


@MACHINES
def test_the_token_may_come_back_before_the_function_that_got_it_has_ended(
    machine_run: MachineRun, machine: str
) -> None:
    runs(machine_run, requests_input(3600), DONE)
    start(machine_run, machine, lambda token: client("stepfunctions").send_task_success(taskToken=token, output="{}"))

    assert (machine_run.calls, machine_run.status) == ([(1, 0), (1, 0)], "SUCCEEDED")


@MACHINES
@pytest.mark.parametrize("trouble", [FunctionDied(), FunctionDied("Sandbox.Timedout"), KeyError("no such table")])
def test_suspending_that_fails_is_tried_again_with_another_token(
    machine_run: MachineRun, machine: str, trouble: BaseException
) -> None:
    def suspend(token: str) -> None:
        if len(machine_run.suspended) < 3:
            raise trouble

    runs(machine_run, requests_input(3600), DONE)
    start(machine_run, machine, suspend)
    machine_run.advance(seconds=10)
    assert [seconds for _, seconds in machine_run.suspended] == [0, 1, 3]
    assert len(set(machine_run.tokens)) == 3

    for useless in machine_run.tokens[:2]:
        with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
            machine_run.send_task_success(useless)
    assert machine_run.calls == [(1, 0)]

    machine_run.send_task_success(machine_run.tokens[2])
    assert (machine_run.calls, machine_run.status) == ([(1, 0), (1, 10)], "SUCCEEDED")


@MACHINES
def test_suspending_that_always_fails_is_recorded(machine_run: MachineRun, machine: str) -> None:
    def suspend(token: str) -> None:
        raise FunctionDied

    runs(machine_run, requests_input(3600))
    start(machine_run, machine, suspend)
    machine_run.advance(minutes=1)

    assert [event["error"] for event in machine_run.recorded] == ["Runtime.ExitError"]
    assert (len(machine_run.suspended), machine_run.status) == (5, "SUCCEEDED")


@MACHINES
def test_suspended_work_is_stopped(machine_run: MachineRun, machine: str) -> None:
    runs(machine_run, requests_input(3600))
    start(machine_run, machine)
    machine_run.stop()
    assert machine_run.status == "ABORTED"

    with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
        machine_run.send_task_success(machine_run.tokens[0])
    machine_run.advance(days=9)
    assert (machine_run.calls, machine_run.recorded, machine_run.status) == ([(1, 0)], [], "ABORTED")


@MACHINES
def test_a_token_is_of_no_use_once_the_time_is_over_or_when_it_came_back_before(
    machine_run: MachineRun, machine: str
) -> None:
    runs(machine_run, requests_input(60), requests_input(60), DONE)
    start(machine_run, machine)
    machine_run.advance(seconds=60)
    machine_run.send_task_success(machine_run.tokens[1])
    assert machine_run.calls == [(1, 0), (1, 60), (1, 60)]

    for token in machine_run.tokens:
        with pytest.raises(client("stepfunctions").exceptions.TaskTimedOut):
            machine_run.send_task_success(token)


@MACHINES
def test_attempts_are_counted_from_1_after_each_response(machine_run: MachineRun, machine: str) -> None:
    runs(machine_run, FunctionDied(), FunctionDied(), requests_input(3600), FunctionDied(), DONE)
    start(machine_run, machine)
    machine_run.advance(seconds=10)
    machine_run.send_task_success(machine_run.tokens[0])
    machine_run.advance(seconds=10)

    assert machine_run.calls == [(1, 0), (2, 1), (3, 3), (1, 10), (2, 11)]
    assert (machine_run.recorded[1:], machine_run.status) == ([], "SUCCEEDED")


@MACHINES
def test_a_machine_times_out_as_a_whole_though_it_is_suspended(machine_run: MachineRun, machine: str) -> None:
    runs(machine_run, requests_input(30 * DAY))
    start(machine_run, machine)
    machine_run.advance(days=7, hours=23)
    assert machine_run.status == "RUNNING"

    machine_run.advance(hours=1)
    assert (machine_run.recorded, machine_run.status) == ([], "TIMED_OUT")
