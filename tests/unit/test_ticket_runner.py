"""What the state that runs a tool is told of the run."""

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks import Context
from mcp_tasks.run_host.ticket_runner import TaskSuspended
from mcp_tasks.tasks.model import JSON
from tests.unit.tool_run import tool_run


def asks(context: Context) -> str:
    return context.sample("Hi", max_tokens=9, key="said", timeout=timedelta(seconds=90.5)).text


def job(context: Context) -> str:
    return "done"


@pytest.mark.parametrize("event", [{}, {"suspension": "error"}])
def test_a_state_is_told_of_a_suspension_in_an_error_where_it_catches_one(event: Mapping[str, JSON]) -> None:
    """Executions of definitions of 0.3 are told in what they are returned."""
    told = {"asked": True, "seconds": 91}
    made = tool_run(asks, client_capabilities=frozenset({"sampling"}))
    assert made.run_once() == timedelta(seconds=90.5)
    ticket = made.runner.tickets.for_start_now(made.caller.owner_key, made.task.id)
    run = {"ticket": ticket, "task": made.task.id, "attempt": 1, **event}

    if event:
        with pytest.raises(TaskSuspended) as raised:
            made.runner.runner.answer(run)
        assert json.loads(str(raised.value)) == told
    else:
        assert made.runner.runner.answer(run) == told


@pytest.mark.parametrize("event", [{}, {"suspension": "error"}])
def test_a_state_is_told_that_a_run_was_the_last(event: Mapping[str, JSON]) -> None:
    made = tool_run(job)
    ticket = made.runner.tickets.for_start_now(made.caller.owner_key, made.task.id)

    answer = made.runner.runner.answer({"ticket": ticket, "task": made.task.id, "attempt": 1, **event})
    assert answer == {"asked": False}
