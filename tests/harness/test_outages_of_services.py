"""Services of AWS are away for a while, alone and in pairs, with tasks of all kinds in flight: none ends by it."""

import re
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import combinations, product

import pytest

from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.testing.client import FINAL
from mcp_tasks.testing.harness import REVISIONS
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.outages import SERVICES, away
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.kit import BOB, EVE
from tests.slow import one_in

LARGE = "x" * 50_000

KINDS: Mapping[str, tuple[Mapping[str, JSON], str | None]] = {
    "plain": ({}, "worked"),
    "stepped": ({}, "[0-9]+"),
    "reporting": ({}, "attempt [0-9]+"),
    "asking": ({}, "yes"),
    "proposing": ({}, "yes"),
    "dozing": ({"minutes": 0.5}, "rested"),
    "failing": ({}, "no such city"),
    "dying": ({}, None),
    "direct": ({}, "worked"),
    "machine": ({"after_seconds": 40}, "waited 40 s"),
    "large": ({"text": LARGE}, LARGE),
}
"""The tools, what they are given, and how the text of the result looks that each has to end with."""

LONGEST_RECOVERY = timedelta(minutes=7)
"""A sweep begins the next run of a task without an execution, once the lease of the run before has lapsed."""

AWAY = [*((each,) for each in SERVICES), *combinations(SERVICES, 2)]
CASES = [
    pytest.param(services, seconds, marks=marks, id=f"{'+'.join(services)}-{seconds}")
    for (services, seconds), marks in one_in(15, product(AWAY, (45, 300)))
]


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.outage_tools"


@pytest.mark.parametrize("revision", REVISIONS[:1])
@pytest.mark.parametrize(("services", "seconds"), CASES)
def test_an_outage_ends_no_task(tasks: DeployedTasks, services: tuple[str, ...], seconds: int) -> None:
    started = list(start_all(tasks))
    away(tasks, services, timedelta(seconds=seconds))

    took = recovery(tasks, [task for _, task in started])

    sys.stdout.write(f"{' and '.join(services)} away for {seconds} s: recovered after {took.total_seconds():.0f} s\n")
    assert [f"{tool}: {ended}" for tool, task in started if (ended := wrongly_ended(tool, task))] == []
    assert took < LONGEST_RECOVERY


def recovery(tasks: DeployedTasks, live: list[DeployedTask]) -> timedelta:
    """Answer whatever tasks ask, and return how long they take to end from now on."""
    began, bob = tasks.harness.clock.now(), tasks.connect(BOB)
    while live and tasks.harness.clock.now() < began + LONGEST_RECOVERY:
        tasks.advance(seconds=10)
        for approval in bob.call_tool("approval_list").structured["approvals"]:
            bob.call_tool("approval_decide", {"id": approval["id"], "action": "accept", "content": {"said": "yes"}})
        for task in live:
            for question in task.client.input_requests(task.id) if task.status == "input_required" else ():
                question.accept(said="yes")
        live = [task for task in live if task.status not in FINAL]
    return tasks.harness.clock.now() - began


def start_all(tasks: DeployedTasks) -> Iterator[tuple[str, DeployedTask]]:
    """Start each kind of task, and another one some seconds later, and tasks that wait for a slot."""
    table = Table(client=client("dynamodb"), name=tasks.harness.table.name, clock=tasks.harness.clock)
    PlanItems(table=table).write(EVE.tenant, Grant(overrides={"running_tasks": 1}), replacing=0)
    for _ in range(2):
        for tool, (arguments, _) in KINDS.items():
            yield tool, tasks.start(tool, **arguments)
        yield "plain", tasks.start("plain", as_caller=EVE)
        tasks.advance(seconds=11)


def wrongly_ended(tool: str, task: DeployedTask) -> str | None:
    """Return how a task ended, unless that is the outcome of its tool."""
    _, text = KINDS[tool]
    if text is None:
        return None if task.message == "The process that did the work died." else str(task.message)
    if task.status == "completed" or tool == "failing":
        return None if re.fullmatch(text, task.result.text) else task.result.text[:100]
    return f"{task.status}: {task.message}"
