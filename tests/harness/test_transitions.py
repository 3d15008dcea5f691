"""What a task costs in Step Functions: the state transitions of its execution, counted from its history."""

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import function_arn, machine_arn
from tests.harness.machine_run import MachineRun
from tests.harness.tasks import DeployedTasks
from tests.transitions import transitions


def taken(tasks: DeployedTasks) -> int:
    """Return the transitions of the one execution so far."""
    (execution,) = tasks.harness.deliveries.execution_outcomes.all()
    return transitions_of(execution["executionArn"])


def transitions_of(execution: str) -> int:
    pages = client("stepfunctions").get_paginator("get_execution_history").paginate(executionArn=execution)
    return transitions(event for page in pages for event in page["events"])


def test_a_task_that_asks_nothing_takes_two(tasks: DeployedTasks) -> None:
    assert tasks.run("slow", steps=3)
    assert taken(tasks) == 2


def test_a_task_that_asks_once_takes_four(tasks: DeployedTasks) -> None:
    assert tasks.run("curious", batches=[["a"]], seconds=3600)
    assert taken(tasks) == 4


def test_it_takes_as_many_where_lambda_isolates_tenants(tasks: DeployedTasks) -> None:
    """All runs go through `run_without_ticket` there, whose errors have the names of those of `run_tool`."""
    template, states = tasks.harness.template, client("stepfunctions")
    machine = machine_arn(template, "run_tool")
    shared = states.describe_state_machine(stateMachineArn=machine)["definition"]
    isolated = shared.replace(function_arn(template, "run_tool"), function_arn(template, "run_without_ticket"))
    assert isolated != shared
    states.update_state_machine(stateMachineArn=machine, definition=isolated)

    assert tasks.run("curious", batches=[["a"]], seconds=3600)
    assert taken(tasks) == 4


def test_each_further_wait_takes_two(tasks: DeployedTasks) -> None:
    assert tasks.run("doze", hours=[1, 2, 3])
    assert taken(tasks) == 8


def test_each_run_that_died_takes_one(tasks: DeployedTasks) -> None:
    assert tasks.run("frail", deaths=2)
    assert taken(tasks) == 4


def test_a_failure_takes_one_more_to_record(tasks: DeployedTasks) -> None:
    assert tasks.start("frail", deaths=1, error="Sandbox.Timedout").status == "failed"
    assert taken(tasks) == 3


def test_a_machine_of_the_tools_own_takes_its_states_and_three_around_them(machine_run: MachineRun) -> None:
    machine_run.runs(lambda: None)
    machine_run.start("remind_me", after_seconds=0)

    # Its start, Work, Wait, Run, RecordReturn.
    assert (machine_run.status, transitions_of(machine_run.arn)) == ("SUCCEEDED", 5)
