"""Moto's state machines on the harness's clock: the synthesised machines, with handlers that are made up here.

What `moto_patches` changes inside moto is shown to hold.
"""

import json
import time

import pytest

from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.machine_run import TASK, MachineRun


def done() -> None:
    pass


def dies() -> None:
    raise FunctionDied


def raises() -> None:
    raise KeyError("no such key")


def sleeps() -> None:
    time.sleep(100)


def test_what_the_function_returns_is_the_output(machine_run: MachineRun) -> None:
    answer = {"asked": False, "said": 'é😀 say "x" \\ $states {% %}\n'}
    machine_run.runs(lambda: answer)
    machine_run.start("remind_me", after_seconds=0, text=answer["said"])

    assert machine_run.recorded == [{**TASK, "output": answer}]
    assert machine_run.status == "SUCCEEDED"


def test_a_function_that_crashes_is_called_again_with_backoff(machine_run: MachineRun) -> None:
    machine_run.runs(dies)
    machine_run.start("run_tool")
    assert (machine_run.calls, machine_run.status) == ([(1, 0)], "RUNNING")

    machine_run.advance(seconds=6.9)
    assert machine_run.calls == [(1, 0), (2, 1), (3, 3)]

    machine_run.advance(minutes=1)
    assert machine_run.calls == [(1, 0), (2, 1), (3, 3), (4, 7), (5, 15)]
    assert [event["error"] for event in machine_run.recorded] == ["Runtime.ExitError"]


def test_a_function_that_raises_is_caught_by_the_name_of_its_error(machine_run: MachineRun) -> None:
    machine_run.runs(raises)
    machine_run.start("run_tool")

    assert [event["error"] for event in machine_run.recorded] == ["KeyError"]
    assert json.loads(machine_run.recorded[0]["cause"])["errorMessage"] == "'no such key'"


def test_an_error_in_a_branch_is_caught_outside_of_it(machine_run: MachineRun) -> None:
    machine_run.runs(raises)
    machine_run.start("remind_me", after_seconds=1)
    machine_run.advance(seconds=1)

    assert [event["error"] for event in machine_run.recorded] == ["KeyError"]
    assert machine_run.status == "SUCCEEDED"


def test_an_expression_that_fails_is_caught(machine_run: MachineRun) -> None:
    machine_run.start("remind_me")

    assert [event["error"] for event in machine_run.recorded] == ["States.QueryEvaluationError"]


@pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
def test_the_input_says_when_a_run_times_out(machine_run: MachineRun, machine: str) -> None:
    machine_run.runs(sleeps)
    machine_run.start(machine, timeout=50, after_seconds=0)

    machine_run.advance(seconds=49)
    assert (machine_run.recorded, machine_run.status) == ([], "RUNNING")

    machine_run.advance(seconds=1)
    assert machine_run.recorded == [{**TASK, "error": "States.Timeout", "cause": ""}]
    assert machine_run.status == "SUCCEEDED"


def test_a_machine_times_out_as_a_whole(machine_run: MachineRun) -> None:
    machine_run.start("remind_me", after_seconds=10**6)

    machine_run.advance(days=7, hours=23)
    assert machine_run.status == "RUNNING"

    machine_run.advance(hours=1)
    assert (machine_run.recorded, machine_run.status) == ([], "TIMED_OUT")


def test_a_wait_takes_as_long_as_it_should(machine_run: MachineRun) -> None:
    machine_run.runs(done)
    machine_run.start("remind_me", after_seconds=3600)

    machine_run.advance(seconds=3599)
    assert (machine_run.calls, machine_run.status) == ([], "RUNNING")

    machine_run.advance(seconds=1)
    assert (machine_run.calls, machine_run.status) == ([(1, 3600)], "SUCCEEDED")


def test_a_wait_is_stopped(machine_run: MachineRun) -> None:
    machine_run.start("remind_me", after_seconds=3600)
    machine_run.stop()
    assert (machine_run.status, machine_run.harness.clock.next_deadline()) == ("ABORTED", None)

    machine_run.advance(hours=2)
    assert (machine_run.recorded, machine_run.status) == ([], "ABORTED")


def test_an_execution_is_stopped_before_it_has_begun(machine_run: MachineRun) -> None:
    step_functions = client("stepfunctions")
    # It begins with a wait: one whose thread is quicker than this one is stopped there.
    machines = machine_run.harness.template.arns("AWS::StepFunctions::StateMachine")
    (machine,) = [arn for arn in machines if arn.endswith("remind_me")]
    given = json.dumps({**TASK, "timeout": 60, "arguments": {"after_seconds": 60}})
    execution = step_functions.start_execution(stateMachineArn=machine, input=given)["executionArn"]
    step_functions.stop_execution(executionArn=execution)
    machine_run.harness.clock.run_until_idle()

    assert step_functions.describe_execution(executionArn=execution)["status"] == "ABORTED"


def test_a_back_off_is_stopped(machine_run: MachineRun) -> None:
    machine_run.runs(dies)
    machine_run.start("run_tool")
    machine_run.stop()
    assert machine_run.harness.clock.next_deadline() is None, "a thread waits on"
    machine_run.advance(minutes=1)

    assert (machine_run.calls, machine_run.recorded, machine_run.status) == ([(1, 0)], [], "ABORTED")


@pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
def test_an_execution_is_stopped_though_its_function_runs_on(machine_run: MachineRun, machine: str) -> None:
    woke: list[float] = []

    def sleeps_and_records() -> None:
        sleeps()
        woke.append(1)

    machine_run.runs(sleeps_and_records)
    machine_run.start(machine, timeout=500, after_seconds=0)
    machine_run.stop()
    assert (machine_run.status, woke) == ("ABORTED", [])

    machine_run.advance(seconds=100)
    assert (machine_run.status, woke, machine_run.recorded) == ("ABORTED", [1], [])


def test_an_execution_is_started_once_for_each_name(machine_run: MachineRun) -> None:
    machine_run.start("remind_me", after_seconds=3600)
    first = machine_run.arn
    machine_run.start("remind_me", after_seconds=3600)
    assert machine_run.arn == first

    machine_run.stop()
    with pytest.raises(client("stepfunctions").exceptions.ExecutionAlreadyExists):
        machine_run.start("remind_me", after_seconds=3600)


def test_functions_take_turns(machine_run: MachineRun) -> None:
    machine_run.runs(sleeps)
    for number in range(5):
        machine_run.start("run_tool", timeout=500, name=f"t{number}")
    machine_run.advance(seconds=100)

    assert machine_run.calls == [(1, 0)] * 5
    assert machine_run.status == "SUCCEEDED"
