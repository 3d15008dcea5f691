"""What acts on a task that requests input (client, state machine, sweep, ...), as functions to race."""

from collections.abc import Callable
from typing import TypeAlias

from mcp_tasks.tasks.model import InputResponse, Task
from tests.contract.process import Process
from tests.contract.scenario import ANSWERS, Scenario
from tests.kit import ADA

Actor: TypeAlias = Callable[[Scenario, Process, Task], object]

OTHERWISE = {
    "name": InputResponse(result={"action": "decline"}),
    "roots": InputResponse(result={"roots": []}),
    "more": InputResponse(error={"code": -1, "message": "no"}),
}
"""Other valid responses to the same input requests, to race against `ANSWERS`."""


def answers(**responses: InputResponse) -> Actor:
    return lambda scenario, process, task: process.suspension.answer(ADA, task.id, responses)


def gives_up(key: str) -> Actor:
    return lambda scenario, process, task: process.suspension.give_up(ADA, task.id, key)


def machine(scenario: Scenario, process: Process, task: Task) -> None:
    """Let the execution take its next step."""
    if task.id in scenario.machine.executions:
        scenario.machine.step(task.id, run=process.runner.run, suspend=process.suspension.suspend)


def zombie(scenario: Scenario, process: Process, task: Task) -> None:
    """Run the tool as a process does that Step Functions has timed out and replaced."""
    process.runner.run(ADA.owner_key, task.id)


def late_suspension(scenario: Scenario, process: Process, task: Task) -> None:
    """Suspend the task with the execution's first token, which may have timed out."""
    for token in scenario.machine.executions[task.id].tokens[:1] if task.id in scenario.machine.executions else ():
        process.suspension.suspend(ADA.owner_key, task.id, token)


def machine_and_client(scenario: Scenario, process: Process, task: Task) -> None:
    """Let the execution run and suspend, then answer all input requests."""
    machine(scenario, process, task)
    machine(scenario, process, task)
    everything(scenario, process, task)


def sweep(scenario: Scenario, process: Process, task: Task) -> None:
    process.reconciler.sweep(limit=10)


def updates(scenario: Scenario, process: Process, task: Task) -> None:
    scenario.environment.deliver_status_changes(process)


def failure(scenario: Scenario, process: Process, task: Task) -> None:
    """Record that Step Functions gave up, which it may have done although all went well."""
    process.execution_outcomes.failed(ADA.owner_key, task.id, "Lambda.Unknown")


def cancel(scenario: Scenario, process: Process, task: Task) -> None:
    process.tasks.cancel(ADA, task.id)


everything = answers(**ANSWERS)
otherwise = answers(**OTHERWISE)
