"""How the tools of operators are described, what they take, and what they answer with."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, Tool
from mcp_tasks.adapters.aws_console import AwsConsole
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.engine.built_in_tools import READS
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.operator_tools import operator_tools
from mcp_tasks.engine.tenant_overview import listed
from mcp_tasks.features.results import structured
from mcp_tasks.limits.tenants import MAX_OWNER_KEY_BYTES
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA, EVE, FixedClock
from tests.unit.jobs import job, service
from tests.unit.tenant_plans import with_ports

CONSOLE = AwsConsole(
    machines={"run_tool": "arn:aws:states:eu-west-1:111122223333:stateMachine:tasks-run_tool"},
    log_groups=("Tasks-serve",),
)


class Stage:
    """A stage with operators and pages, on a clock that goes on after its task was started."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.tasks = with_ports(service(clock=self.clock), console_links=lambda: CONSOLE)
        self.task = self.tasks.start(ADA, job, {})
        self.clock.advance(timedelta(minutes=1))
        self.tools = tools(self.tasks)

    def call(self, name: str, **arguments: JSON) -> Any:
        return self.tools[name].work.call(arguments, Context(caller=ADA, journal=NULL_JOURNAL))


def tools(tasks: TaskService) -> dict[str, Tool]:
    tenants = tasks.ports.tenants
    assert tenants is not None
    return {each.name: each for each in operator_tools(tasks.ports, tenants, tasks)}


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_the_tools_are_described_so(stage: Stage) -> None:
    cursor = {"type": "string", "description": "next_cursor of the page before."}

    assert {
        name: (tool.title, tool.description, tool.annotations, tool.work.input_schema)
        for name, tool in stage.tools.items()
    } == {
        "tenant_list": (
            "List tenants",
            "List tenants, their plans and use.",
            READS,
            {"type": "object", "properties": {"cursor": cursor}},
        ),
        "task_links": (
            "Link to a task",
            "Link to a task's execution and its logs.",
            READS,
            {"type": "object", "properties": {"task_id": {"type": "string"}}, "required": ["task_id"]},
        ),
    }


def test_where_there_are_no_pages_nothing_links_to_them() -> None:
    assert list(tools(service())) == ["tenant_list"]


def test_the_tenants_are_listed_from_a_cursor_on(stage: Stage) -> None:
    for first_or_last in (replace(EVE, tenant="0"), EVE):
        stage.tasks.start(first_or_last, job, {})
    ports, (acme, rival) = stage.tasks.ports, (ADA.tenant, EVE.tenant)
    assert ports.tenants is not None

    for arguments, after in (({}, ""), ({"cursor": ""}, ""), ({"cursor": acme}, acme)):
        assert stage.call("tenant_list", **arguments) == listed(ports, ports.tenants(), after)
    (only,) = stage.call("tenant_list", cursor=acme).result["structuredContent"]["tenants"]
    assert only["tenant"] == rival


@pytest.mark.parametrize("cursor", ["", "acme", "a.b~c-d_e%20f", "x" * MAX_OWNER_KEY_BYTES])
def test_a_cursor_is_a_name_as_in_owner_keys(stage: Stage, cursor: str) -> None:
    assert stage.tools["tenant_list"].work.check({"cursor": cursor}) == {"cursor": cursor}


@pytest.mark.parametrize("cursor", ["a b", "a#b", "é", "\u0665", "acme\n", "x" * (MAX_OWNER_KEY_BYTES + 1), 7, None])
def test_nothing_else_is_a_cursor(stage: Stage, cursor: JSON) -> None:
    with pytest.raises(BadArguments) as raised:
        stage.tools["tenant_list"].work.check({"cursor": cursor})

    assert str(raised.value) == "give no arguments, or as cursor the next_cursor of tenant_list"


def test_the_pages_about_a_task_are_those_of_now(stage: Stage) -> None:
    pages = CONSOLE.of(stage.task, now=stage.clock.now())
    links = [{"title": title, "url": url} for title, url in pages.items()]

    assert stage.call("task_links", task_id=stage.task.id) == structured(
        f"Execution: {pages['Execution']}\nLogs: {pages['Logs']}", {"task_id": stage.task.id, "links": links}
    )
    assert pages != CONSOLE.of(stage.task, now=stage.task.created_at)


def test_a_task_of_somebody_else_looks_like_none(stage: Stage) -> None:
    theirs = stage.tasks.start(replace(ADA, subject="bob"), job, {})

    with pytest.raises(ToolError, match=f"There is no task '{theirs.id}'"):
        stage.call("task_links", task_id=theirs.id)


@pytest.mark.parametrize("arguments", [{}, {"task_id": 7}, {"task_id": None}, {"more": 1}])
def test_one_task_is_named(stage: Stage, arguments: dict[str, JSON]) -> None:
    with pytest.raises(BadArguments) as raised:
        stage.tools["task_links"].work.check(arguments)

    assert str(raised.value) == "give task_id, a string"
