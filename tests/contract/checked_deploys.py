"""A task in flight on a table, and what `make check-deploy` says of it under other code."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from local.check_deploy import checked
from mcp_tasks import Context, Form, tool
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from tests.kit import ADA, BusyWaiter, FixedClock, IdleExecutor
from tests.table_ports import table_ports
from tests.unit.contexts import EVERYTHING, Confirmation, accepted
from tests.unit.tool_run import ToolRun, in_process_runner

DONE: list[str] = []


class Amount(Form):
    count: int


def old(item: str, context: Context) -> str:
    stock = context.step("look up", lambda: {"left": 3, "of": "x" * MAX_INLINE_CHARACTERS})
    first = context.elicit("Order?", Confirmation, key="order")
    context.step("reserve", lambda: f"{first} {stock['left']}")
    context.sleep(timedelta(days=1))
    context.elicit("Ship?", Confirmation, key="ship")
    return "shipped"


def made_of(function: Callable[..., Any], version: str, name: str = "restock") -> Tool:
    return replace(tool(name=name, description="Order.")(function), version=version)


def started(dynamo_store: DynamoTaskStore, clock: FixedClock, function: Callable[..., Any]) -> ToolRun:
    """Return a task on a table, which awaits its first answers."""
    DONE.clear()
    tasks = TaskService(ports=table_ports(dynamo_store, clock, executor=IdleExecutor(), waiter=BusyWaiter(clock=clock)))
    made = made_of(function, "1")
    task = tasks.start(ADA, made, {"item": "ink"}, client_capabilities=EVERYTHING, ttl=timedelta(days=3))
    return ToolRun(clock=clock, tasks=tasks, runner=in_process_runner(tasks, made), task=task, caller=ADA).wait()


@pytest.fixture
def suspended(dynamo_store: DynamoTaskStore, clock: FixedClock) -> ToolRun:
    """A task that was answered once, slept, and is asked again, on a table."""
    run = started(dynamo_store, clock, old)
    run.answer(order=accepted(ok=True))
    assert run.run_once() is not None
    clock.advance(timedelta(days=1, minutes=1))
    return run.wait()


def why(run: ToolRun, table: Table, *functions: Callable[..., Any], name: str = "restock") -> list[str | None]:
    """Return why each live task would fail under this code."""
    tools = Toolbox(made_of(each, "2", name) for each in functions)
    return [each.why for each in checked(run.tasks, DynamoBacklog(table=table).live(), tools)]


def changes(run: ToolRun, table: Table, function: Callable[..., Any], version: str = "2") -> list[str]:
    """Return what the only live task, which would not fail, does otherwise under this code."""
    (found,) = checked(run.tasks, DynamoBacklog(table=table).live(), Toolbox([made_of(function, version)]))
    assert found.why is None
    return list(found.changes)
