"""Which tasks in flight a deploy leaves alive, and has ask again or run a step anew."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from local.check_deploy import checked, report
from mcp_tasks import Context, Elicit
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.features.tools import Toolbox
from tests.cloud import TABLE, Cloud, scan
from tests.contract.checked_deploys import DONE, Amount, changes, made_of, old, started
from tests.contract.checked_deploys import suspended as suspended
from tests.kit import FixedClock
from tests.releases.items import kind_of
from tests.unit.contexts import Confirmation, accepted
from tests.unit.tool_run import ToolRun, in_process_runner


def takes_another_form(item: str, context: Context) -> str:
    context.step("look up", lambda: DONE.append("look up"))
    return f"{context.elicit('Order?', Amount, key='order')}"


def asks_for_an_amount_in_the_end(item: str, context: Context) -> str:
    context.step("look up", lambda: DONE.append("look up"))
    context.elicit("Order?", Confirmation, key="order")
    context.step("reserve", lambda: DONE.append("reserve"))
    context.sleep(timedelta(days=1))
    return f"{context.elicit('Ship it?', Amount, key='ship')}"


def renamed(item: str, context: Context) -> str:
    context.step("look up", lambda: DONE.append("look up"))
    context.elicit("Order?", Confirmation, key="order")
    context.step("reserve it", lambda: DONE.append("reserve it"))
    context.sleep(timedelta(days=1))
    return f"{context.elicit('Ship?', Confirmation, key='ship')}"


def renamed_first(item: str, context: Context) -> str:
    context.step("find", lambda: DONE.append("find"))
    return old(item, context)


def adds_a_step_in_the_end(item: str, context: Context) -> str:
    context.step("look up", lambda: DONE.append("look up"))
    context.elicit("Order?", Confirmation, key="order")
    context.step("reserve", lambda: DONE.append("reserve"))
    context.step("weigh", lambda: DONE.append("weigh"))
    context.sleep(timedelta(days=1))
    return f"{context.elicit('Ship?', Confirmation, key='ship')}"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (old, []),
        (adds_a_step_in_the_end, []),
        (takes_another_form, ["the answer to 'order' does not fit: count is missing; it is asked for again"]),
        (
            asks_for_an_amount_in_the_end,
            ["the form of the open question 'ship' changed; an answer that does not fit is asked for again"],
        ),
        (renamed, ["step 'reserve it' runs anew; recorded and not asked for before it: 'reserve'"]),
        (renamed_first, ["step 'find' runs anew; recorded and not asked for before it: 'look up'; 'reserve'"]),
    ],
)
def test_a_task_that_goes_on_otherwise_is_named_with_the_change(
    suspended: ToolRun, table: Table, function: Callable[..., Any], said: list[str]
) -> None:
    assert changes(suspended, table, function) == said
    assert DONE == []


def test_an_answered_and_an_open_question_of_one_gather_are_compared(
    dynamo_store: DynamoTaskStore, clock: FixedClock, table: Table
) -> None:
    def asks_both(item: str, context: Context) -> str:
        return f"{context.gather(*(Elicit('?', Confirmation, key=key) for key in ('order', 'ship')))}"

    def asks_for_amounts(item: str, context: Context) -> str:
        return f"{context.gather(*(Elicit('?', Amount, key=key) for key in ('order', 'ship')))}"

    run = started(dynamo_store, clock, asks_both)
    run.answer(order=accepted(ok=True))

    assert changes(run, table, asks_for_amounts) == [
        "the answer to 'order' does not fit: count is missing; it is asked for again",
        "the form of the open question 'ship' changed; an answer that does not fit is asked for again",
    ]


def test_a_step_is_not_new_under_the_code_that_recorded_the_others(suspended: ToolRun, table: Table) -> None:
    assert changes(suspended, table, renamed, version="1") == []


def test_a_step_that_release_0_3_recorded_has_no_name(suspended: ToolRun, table: Table, aws: Cloud) -> None:
    for item in scan(aws.dynamodb):
        if kind_of(item) == "step":
            key = {name: item[name] for name in ("PK", "SK")}
            aws.dynamodb.update_item(TableName=TABLE, Key=key, UpdateExpression="REMOVE step")

    assert changes(suspended, table, renamed_first) == [
        "step 'find' runs anew; recorded and not asked for before it: steps whose names were not kept"
    ]


def test_a_question_that_was_asked_again_is_not_announced_once_more(suspended: ToolRun, table: Table) -> None:
    suspended.answer(ship=accepted(ok=True))
    made = made_of(asks_for_an_amount_in_the_end, "2")
    asked_again = replace(suspended, runner=in_process_runner(suspended.tasks, made)).wait()

    assert asked_again.open_keys() == ["ship~again-2"]
    assert changes(suspended, table, asks_for_an_amount_in_the_end) == []
    assert changes(suspended, table, old, version="1") == []


def test_the_report_names_the_change_and_the_exit_status_is_that_of_a_good_one(
    suspended: ToolRun, table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = Toolbox([made_of(renamed, "2")])

    assert report(checked(suspended.tasks, DynamoBacklog(table=table).live(), tools)) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"acme#ada {suspended.task.id} (restock): "
        "step 'reserve it' runs anew; recorded and not asked for before it: 'reserve'",
        "1 tasks are in flight, of which 0 would fail under the code here.",
    ]
