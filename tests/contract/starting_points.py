"""Where crash tests start: how far a task that requests input has got, and which side effect is missing."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import GRACE, KEPT
from mcp_tasks.tasks.model import Task
from tests.contract.process import Crash, Fuse
from tests.contract.scenario import NAME, Scenario
from tests.contract.step_functions import Place
from tests.kit import ADA


def suspended_again(scenario: Scenario) -> Task:
    """Suspend a task twice; Step Functions never got the response to the first call."""
    task = scenario.suspended()
    execution = scenario.machine.executions[task.id]
    execution.place, execution.token = Place.SUSPEND, None
    return task


def answered_meanwhile(scenario: Scenario) -> Task:
    """Answer a task that is about to be suspended a second time."""
    task = suspended_again(scenario)
    scenario.client(scenario.environment.process())
    return task


def answered_in_part(scenario: Scenario) -> Task:
    task = scenario.suspended()
    scenario.environment.process().suspension.answer(ADA, task.id, {"name": NAME})
    return task


def answered_only(scenario: Scenario) -> Task:
    """Answer a task whose execution was never resumed: the process dies after the write."""
    task = scenario.suspended()
    with pytest.raises(Crash):
        scenario.client(scenario.environment.process(Fuse(number=2)))
    return task


def answered_only_a_minute_ago(scenario: Scenario) -> Task:
    task = answered_only(scenario)
    scenario.environment.clock.advance(timedelta(minutes=1))
    return task


def out_of_time_in_part(scenario: Scenario) -> Task:
    """Wait until the time for one of the answers is over."""
    task = scenario.suspended()
    scenario.environment.clock.advance(timedelta(minutes=10))
    scenario.machine.time_out(task.id)
    return task


def out_of_time(scenario: Scenario) -> Task:
    task = answered_in_part(scenario)
    scenario.environment.clock.advance(timedelta(minutes=10))
    scenario.machine.time_out(task.id)
    return task


def unanswered(scenario: Scenario) -> Task:
    """Let the input requests of a task time out before any process reacts."""
    task = scenario.suspended()
    scenario.environment.clock.advance(task.ttl - KEPT + GRACE)
    return task


def unanswered_and_timed_out(scenario: Scenario) -> Task:
    """Let the input requests of a task time out, and its execution's wait for the token, too."""
    task = unanswered(scenario)
    scenario.machine.time_out(task.id)
    return task


def cancelled_only(scenario: Scenario) -> Task:
    """Cancel a suspended task whose execution was never stopped: the process dies after the write."""
    task = scenario.suspended()
    with pytest.raises(Crash):
        scenario.environment.process(Fuse(number=2)).tasks.cancel(ADA, task.id)
    return task


def expired_and_deleted(scenario: Scenario) -> Task:
    task = scenario.suspended()
    before = scenario.current()
    scenario.environment.clock.advance(task.ttl)
    scenario.environment.forget(task, ADA.owner_key)
    return before
