"""Which tasks in flight a deploy would break, by a replay that does nothing else."""

import os
import socket
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.check_deploy import checked, report
from mcp_tasks import Context
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features.tools import Toolbox
from tests.cloud import Cloud, scan
from tests.contract.checked_deploys import DONE, Amount, made_of, old, why
from tests.contract.checked_deploys import suspended as suspended
from tests.kit import ADA, BusyWaiter, FixedClock, IdleExecutor
from tests.releases.items import kind_of
from tests.table_ports import table_ports
from tests.unit.contexts import Confirmation, accepted
from tests.unit.tool_run import ToolRun, in_process_runner


def test_a_task_goes_on_under_the_same_code(suspended: ToolRun, table: Table) -> None:
    assert why(suspended, table, old) == [None]


def asks_otherwise(item: str, context: Context) -> str:
    context.step("look up", lambda: DONE.append("look up"))
    return f"{context.elicit('How many?', Amount, key='amount')}"


def asks_otherwise_in_the_end(item: str, context: Context) -> str:
    context.elicit("Order?", Confirmation, key="order")
    return f"{context.elicit('Really?', Confirmation, key='really')}"


def takes_another_argument(number: int, context: Context) -> str:
    return old("ink", context)


def reads_what_no_step_recorded(item: str, context: Context) -> str:
    return f"{context.step('look up', lambda: {'right': 1})['right']}"


CHANGED = "restock was changed while this task was in flight, from version 1 to version 2, and the task cannot go on: "


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (asks_otherwise, f"{CHANGED}it asked 'order' before, and now asks 'amount'"),
        (asks_otherwise_in_the_end, f"{CHANGED}it asked 'ship' before, and now asks 'really'"),
        (takes_another_argument, f"{CHANGED}its arguments do not fit: "),
        (reads_what_no_step_recorded, "restock failed: KeyError: 'right'"),
    ],
)
def test_a_task_that_would_fail_is_named_with_the_reason(
    suspended: ToolRun, table: Table, function: Callable[..., Any], said: str
) -> None:
    (found,) = why(suspended, table, function)

    assert str(found).startswith(said)
    assert DONE == []


def test_a_task_whose_tool_is_gone_would_fail(suspended: ToolRun, table: Table) -> None:
    assert why(suspended, table, old, name="other") == ["There is no tool named restock any more."]


def test_a_change_that_keeps_the_old_path_breaks_nothing(suspended: ToolRun, table: Table) -> None:
    def patched(item: str, context: Context) -> str:
        return asks_otherwise(item, context) if context.patched("amount") else old(item, context)

    assert why(suspended, table, patched) == [None]


EFFECTS: list[Callable[[str], object]] = [
    lambda item: socket.create_connection(("127.0.0.1", 9)),
    lambda item: urllib.request.urlopen("http://127.0.0.1:9"),
    lambda item: subprocess.run(["true"], check=True),
    lambda item: Path(item).write_text("done"),
    os.unlink,
]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("caught", [False, True])
def test_the_replay_ends_where_code_that_is_in_no_step_has_a_side_effect(
    suspended: ToolRun, table: Table, tmp_path: Path, effect: Callable[[str], object], caught: bool
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("as it was")

    def reaches(item: str, context: Context) -> str:
        context.step("look up", lambda: DONE.append("look up"))
        try:
            effect(str(kept))
        except BaseException:
            if not caught:
                raise
            raise ValueError("it could not") from None
        DONE.append("reached")
        return "done"

    assert why(suspended, table, reaches) == [None]
    assert DONE == []
    assert kept.read_text() == "as it was"


def test_the_replay_ends_with_the_last_record(suspended: ToolRun, table: Table) -> None:
    suspended.answer(ship=accepted(ok=True))

    def goes_on(item: str, context: Context) -> str:
        old(item, context)
        DONE.append("shipped")
        return "shipped"

    assert why(suspended, table, goes_on) == [None]
    assert DONE == []


def test_a_task_that_has_recorded_nothing_is_not_run(
    dynamo_store: DynamoTaskStore, clock: FixedClock, table: Table
) -> None:
    def begins(item: str) -> str:
        DONE.append("begun")
        return item

    DONE.clear()
    tasks = TaskService(ports=table_ports(dynamo_store, clock, executor=IdleExecutor(), waiter=BusyWaiter(clock=clock)))
    task = tasks.start(ADA, made_of(begins, "1"), {"item": "ink"})
    run = ToolRun(clock=clock, tasks=tasks, runner=in_process_runner(tasks), task=task)

    assert why(run, table, begins) == [None]
    assert why(run, table, takes_another_argument)[0] is not None
    assert DONE == []


def test_nothing_is_written(suspended: ToolRun, table: Table, aws: Cloud) -> None:
    before = scan(aws.dynamodb)

    why(suspended, table, asks_otherwise)
    why(suspended, table, old)
    assert scan(aws.dynamodb) == before
    assert {"task", "step", "reply"} <= {kind_of(item) for item in before}


def test_the_report_names_what_breaks_and_the_exit_status_says_so(
    suspended: ToolRun, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    def status(function: Callable[..., Any]) -> int:
        tools = Toolbox([made_of(function, "2")])
        return report(checked(suspended.tasks, DynamoBacklog(table=table).live(), tools))

    assert status(old) == 0
    assert capsys.readouterr().out == "1 tasks are in flight, of which 0 would fail under the code here.\n"
    assert status(asks_otherwise) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"acme#ada {suspended.task.id} (restock): {CHANGED}it asked 'order' before, and now asks 'amount'",
        "1 tasks are in flight, of which 1 would fail under the code here.",
    ]
