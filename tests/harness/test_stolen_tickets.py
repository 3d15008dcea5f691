"""The uses of a start ticket that was read from the input of another tenant's execution."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import function_arn, machine_arn
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.isolation.messages import MESSAGES
from tests.kit import EVE

BUT_LOAD = sorted({*MESSAGES} - {"load"})
DONE = {"outcome": {"returned": {"result": {"content": [{"type": "text", "text": "stolen"}]}}}}


def ticket_of(tasks: DeployedTasks, task: DeployedTask) -> str:
    """Return the start ticket of a task as DescribeExecution shows it."""
    machine = machine_arn(tasks.harness.template, "run_tool")
    execution = f"{machine.replace(':stateMachine:', ':execution:')}:{task.id}"
    return str(json.loads(client("stepfunctions").describe_execution(executionArn=execution)["input"])["ticket"])


def sent(tasks: DeployedTasks, does: str, ticket: str, **more: Any) -> Mapping[str, Any]:
    """Return what the host of runs answers to a message, which any run may send it."""
    name = function_arn(tasks.harness.template, "host_run").rpartition(":")[2]
    message = {**MESSAGES[does], "does": does, "ticket": ticket, **more}
    answer: Mapping[str, Any] = tasks.harness.lambdas.handlers[name](message, None)
    return answer


def test_a_ticket_made_out_to_another_tenant_is_refused(tasks: DeployedTasks) -> None:
    theirs, own = tasks.start("slow", steps=9), tasks.start("slow", as_caller=EVE, steps=9)
    signed, owned = (ticket_of(tasks, each).partition(":")[2] for each in (theirs, own))
    payload, signature = (each.split(".")[place] for place, each in enumerate((signed, owned)))

    for ticket in (f"rival#eve:{signed}", f"acme#ada:{owned}", f"rival#eve:{payload}.{signature}", f":{signed}"):
        assert sent(tasks, "load", ticket) == {"refused": "this is no start ticket"}


def test_the_ticket_of_a_run_leads_to_no_task_of_another_tenant_that_its_messages_name(tasks: DeployedTasks) -> None:
    theirs, own = tasks.start("slow", steps=9), tasks.start("slow", as_caller=EVE, steps=9)
    stolen = ticket_of(tasks, theirs)
    names = {"start": stolen, "start_ticket": stolen, "task": theirs.id, "owner_key": "acme#ada", "scope": "acme#ada"}

    loaded = sent(tasks, "load", ticket_of(tasks, own), **names)

    assert (loaded["run"]["owner_key"], loaded["run"]["task"]) == ("rival#eve", own.id)
    assert sent(tasks, "finish", loaded["ticket"], **DONE, **names) == {}
    assert (theirs.status, own.status) == ("working", "completed")


def test_a_start_ticket_loads_a_run_and_does_nothing_else(tasks: DeployedTasks) -> None:
    ticket = ticket_of(tasks, tasks.start("slow", steps=9))

    for does in BUT_LOAD:
        assert sent(tasks, does, ticket) == {"refused": "this is no run ticket"}


def test_a_start_ticket_loads_its_own_task_for_any_holder_as_security_md_says(tasks: DeployedTasks) -> None:
    task, other = tasks.start("slow", steps=9), tasks.start("slow", steps=9)

    loaded = sent(tasks, "load", ticket_of(tasks, task))

    assert (loaded["run"]["task"], loaded["run"]["arguments"]) == (task.id, {"steps": 9})
    assert sent(tasks, "finish", loaded["ticket"], **DONE, task=other.id) == {}
    assert (task.result.text, other.status) == ("stolen", "working")


def test_a_start_ticket_shows_nothing_of_a_task_that_is_suspended(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]], seconds=3600)

    assert sent(tasks, "load", ticket_of(tasks, task)).keys() == {"seconds"}


def test_a_start_ticket_is_worthless_once_its_task_has_ended(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=9)
    ticket = ticket_of(tasks, task)
    task.cancel()

    assert sent(tasks, "load", ticket) == {"not_wanted": True}
