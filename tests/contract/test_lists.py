"""No item, however damaged, is the end of a list: it is left out, counted, and named in the log."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import anyone, role
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.authoring.context import Context
from mcp_tasks.engine import tenant_overview
from mcp_tasks.engine.approval_answers import decided, history, listed, page
from mcp_tasks.engine.approvals import Approvals
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.task_tools import TASK_LIST, built_in
from mcp_tasks.fallbacks import forget_reported
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.events import Suspended
from mcp_tasks.tasks.model import JSON, InputRequest, Returned
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.cloud import TABLE, Cloud, scan
from tests.contract.store_actions import add, move
from tests.kit import ADA, NOON, FixedClock, a_task, memory_ports
from tests.unit.offices import GRACE

FORM = {"type": "object", "properties": {}}
APPROVAL = Approval(audience=role("finance"))
ASKED = InputRequest(
    key="refund",
    method="elicitation/create",
    params={"mode": "form", "message": "Which?", "requestedSchema": FORM},
    approval=APPROVAL,
)
ODD = {
    "sampling": replace(ASKED, method="sampling/createMessage", params={"messages": [], "maxTokens": 1}),
    "roots": replace(ASKED, method="roots/list", params={}),
    "no message": replace(ASKED, params={"requestedSchema": {"$ref": "#"}}),
    "no form": replace(ASKED, params={"message": "Which?"}),
    "a message that is none": replace(ASKED, params={"message": ["SECRET"], "requestedSchema": FORM}),
}
"""What a run could have its host keep, in an earlier release."""


@pytest.fixture
def approvals(store: TaskStore, inbox: Inbox, clock: FixedClock) -> Approvals:
    ports = replace(memory_ports(clock=clock), tasks=store, inbox=lambda: inbox)
    return Approvals(ports=ports, suspension=Suspension(tasks=TaskService(ports=ports)))


def ask(store: TaskStore, minute: int, asked: InputRequest = ASKED, **fields: Any) -> str:
    """Store a task that asked so many minutes after noon, and return its id."""
    task = a_task(requested_at=NOON + timedelta(minutes=minute), input_requests=(asked,), **fields)
    return move(store, add(store, task), Suspended(task_token="token")).id


def shown(returned: Returned) -> Any:
    return returned.result["structuredContent"]


def words(returned: Returned) -> str:
    return str(returned.result["content"][0]["text"])


@pytest.mark.parametrize("odd", ODD)
def test_an_approval_that_cannot_be_shown_ends_nobodys_inbox(store: TaskStore, approvals: Approvals, odd: str) -> None:
    for minute, asked in enumerate([ASKED, ODD[odd], ASKED]):
        ask(store, minute, asked)

    answer = listed(approvals, GRACE, {})

    assert [each["message"] for each in shown(answer)["approvals"]] == ["Which?", "Which?"]
    assert shown(answer)["left_out"] == 1
    assert words(answer).splitlines()[-1] == "1 more cannot be shown: the server's log names them."
    assert page(approvals, GRACE) == shown(answer)


def test_an_inbox_whose_items_can_all_be_shown_counts_none(store: TaskStore, approvals: Approvals) -> None:
    ask(store, 0)

    answer = listed(approvals, GRACE, {})

    assert "left_out" not in shown(answer)
    assert "cannot be shown" not in words(answer)


def test_an_approval_that_cannot_be_shown_is_counted_where_it_is_asked_for(
    store: TaskStore, inbox: Inbox, approvals: Approvals
) -> None:
    ask(store, 0, ODD["sampling"])
    (item,) = inbox.items("acme", "role:finance", after="", limit=9)

    answer = listed(approvals, GRACE, {"id": item.id})

    assert shown(answer) == {"approvals": [], "next_cursor": None, "left_out": 1}


def test_one_that_was_decided_without_a_message_is_in_the_history(
    store: TaskStore, inbox: Inbox, approvals: Approvals
) -> None:
    ask(store, 0, ODD["no message"])
    (item,) = inbox.items("acme", "role:finance", after="", limit=9)

    decided(approvals, GRACE, {"id": item.id, "action": "decline"})

    assert [each["message"] for each in shown(history(approvals, GRACE, {}))["approvals"]] == [""]


# --- damaged items of the table


DECIDED = {"subject": "heidi", "at": NOON.isoformat(), "action": "accept", "channel": "link", "digest": "d"}
DAMAGES: Mapping[str, Callable[[Any], Mapping[str, JSON]]] = {
    "no JSON": lambda item: {"asked": {"S": "{SECRET"}},
    "a list": lambda item: {"asked": {"S": "[]"}},
    "nested too deeply": lambda item: {"asked": {"S": "[" * 9_999}},
    "another type": lambda item: {"asked": {"N": "7"}},
    "decisions that are none": lambda item: {"accepted": {"S": '["SECRET"]'}},
    "an owner that is none": lambda item: {"owner": {"N": "7"}},
    "a newer release": lambda item: {"schema": {"N": "3"}},
    "a schema that is none": lambda item: {"schema": {"S": "SECRET"}},
    "an actor that is none": lambda item: {"asked": {"S": json.dumps(asked_of(item) | {"actor": {"act": 5}})}},
    "an actor behind another that is none": lambda item: {
        "asked": {"S": json.dumps(asked_of(item) | {"actor": {"sub": "agent", "act": {"act": {"sub": "planner"}}}})}
    },
    "a decision whose actor is none": lambda item: {"accepted": {"S": json.dumps([{**DECIDED, "actor": {"sub": 7}}])}},
    "a decision of nobody": lambda item: {"accepted": {"S": json.dumps([{**DECIDED, "subject": None}])}},
    "a time beyond all": lambda item: {"asked": {"S": json.dumps(asked_of(item) | {"at": "9999-12-31T23:59:59"})}},
}


def asked_of(item: Any) -> dict[str, JSON]:
    found: dict[str, JSON] = json.loads(item["asked"]["S"])
    return found


def spoil(aws: Cloud, kind: str, places: list[int], damage: Callable[[Any], Mapping[str, JSON]]) -> None:
    """Damage the items of a kind at these places, in the order of their keys."""
    items = [each for each in scan(aws.dynamodb) if each["SK"]["S"].startswith(f"{kind}#")]
    items.sort(key=lambda each: str(each["SK"]["S"]))
    for place in places:
        aws.dynamodb.put_item(TableName=TABLE, Item={**items[place], **damage(items[place])})


@pytest.fixture
def on_table(dynamo_store: DynamoTaskStore, service: TaskService) -> Approvals:
    forget_reported()
    return Approvals(ports=service.ports, suspension=Suspension(tasks=service))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_item_is_left_out_of_the_open_approvals(
    dynamo_store: DynamoTaskStore, on_table: Approvals, aws: Cloud, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    for minute in range(3):
        ask(dynamo_store, minute, replace(ASKED, approval=Approval(audience=role("finance").but_me())))
    spoil(aws, "inbox", [1], DAMAGES[damage])

    answer = listed(on_table, GRACE, {})

    assert (len(shown(answer)["approvals"]), shown(answer)["left_out"]) == (2, 1)
    (line,) = [each.getMessage() for each in caplog.records]
    assert line.startswith(f"the item is left out: item inbox#{int((NOON + timedelta(minutes=1)).timestamp() * 1000)}-")
    assert "SECRET" not in caplog.text


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_item_is_left_out_of_the_decided_approvals(
    dynamo_store: DynamoTaskStore, on_table: Approvals, aws: Cloud, damage: str
) -> None:
    for minute in range(3):
        ask(dynamo_store, minute, replace(ASKED, approval=Approval(audience=role("finance").but_me())))
    for each in shown(listed(on_table, GRACE, {}))["approvals"]:
        decided(on_table, GRACE, {"id": each["id"], "action": "decline"})
    spoil(aws, "decided", [1], DAMAGES[damage])

    answer = history(on_table, GRACE, {})

    assert (len(shown(answer)["approvals"]), shown(answer)["left_out"]) == (2, 1)
    assert words(answer).splitlines()[-1] == "1 more cannot be shown: the server's log names them."


def test_each_item_that_cannot_be_shown_is_counted_on_one_page(
    dynamo_store: DynamoTaskStore, on_table: Approvals, aws: Cloud
) -> None:
    for minute in range(28):
        ask(dynamo_store, minute)
    # The twentieth that can be shown is at 23.
    spoil(aws, "inbox", [0, 3, 21, 22, 24, 27], DAMAGES["no JSON"])

    first = listed(on_table, GRACE, {})
    second = listed(on_table, GRACE, {"cursor": shown(first)["next_cursor"]})

    assert [len(shown(each)["approvals"]) for each in (first, second)] == [20, 2]
    assert [shown(each)["left_out"] for each in (first, second)] == [4, 2]
    past = [asked["id"] for each in (first, second) for asked in shown(each)["approvals"]]
    for each in past:
        decided(on_table, GRACE, {"id": each, "action": "decline"})
    spoil(aws, "decided", [0, 2, 21], DAMAGES["no JSON"])
    answer = history(on_table, GRACE, {})
    assert (len(shown(answer)["approvals"]), shown(answer)["next_cursor"], shown(answer)["left_out"]) == (19, None, 3)


def test_each_decided_item_that_cannot_be_shown_is_counted_on_one_page(
    dynamo_store: DynamoTaskStore, on_table: Approvals, aws: Cloud
) -> None:
    for minute in range(25):
        ask(dynamo_store, minute)
    while waiting := shown(listed(on_table, GRACE, {}))["approvals"]:
        for each in waiting:
            decided(on_table, GRACE, {"id": each["id"], "action": "decline"})
    # The one asked last comes first: the twentieth that can be shown is at 4.
    spoil(aws, "decided", [24, 1, 0], DAMAGES["no JSON"])

    first = history(on_table, GRACE, {})
    second = history(on_table, GRACE, {"cursor": shown(first)["next_cursor"]})

    assert [len(shown(each)["approvals"]) for each in (first, second)] == [20, 2]
    assert [shown(each)["left_out"] for each in (first, second)] == [1, 2]


def test_what_two_audiences_of_a_caller_are_asked_is_counted_once(
    dynamo_store: DynamoTaskStore, on_table: Approvals, aws: Cloud
) -> None:
    ask(dynamo_store, 0)
    ask(dynamo_store, 1, replace(ASKED, approval=Approval(audience=anyone())))
    spoil(aws, "inbox", [0, 1], DAMAGES["no JSON"])

    assert shown(listed(on_table, GRACE, {})) == {"approvals": [], "next_cursor": None, "left_out": 2}


TASK_DAMAGES: Mapping[str, Mapping[str, JSON]] = {
    "no JSON": {"details": {"S": "{SECRET"}},
    "no state": {"state": {"S": "SECRET"}},
    "a newer release": {"schema": {"N": "3"}},
}


def task_list(service: TaskService, **arguments: JSON) -> Returned:
    (tool,) = [each for each in built_in(service, ADA) if each.name == TASK_LIST]
    answer = tool.work.call(arguments, Context(caller=ADA, journal=NULL_JOURNAL))
    assert isinstance(answer, Returned)
    return answer


@pytest.mark.parametrize("damage", TASK_DAMAGES)
def test_a_damaged_task_is_left_out_of_task_list(
    dynamo_store: DynamoTaskStore, service: TaskService, aws: Cloud, damage: str
) -> None:
    ids = [add(dynamo_store, a_task()).id for _ in range(3)]
    spoil(aws, "task", [sorted(ids).index(ids[1])], lambda item: TASK_DAMAGES[damage])

    answer = task_list(service)

    assert {each["task_id"] for each in shown(answer)["tasks"]} == {ids[0], ids[2]}
    assert shown(answer)["left_out"] == 1
    assert "1 more cannot be shown: the server's log names them." in words(answer).splitlines()


def test_each_task_that_cannot_be_listed_is_counted_on_one_page(
    dynamo_store: DynamoTaskStore, service: TaskService, aws: Cloud
) -> None:
    for _ in range(12):
        add(dynamo_store, a_task())
    # The newest comes first.
    spoil(aws, "task", [11, 8, 7, 3, 0], lambda item: TASK_DAMAGES["no JSON"])

    pages = [task_list(service, limit=2)]
    while cursor := shown(pages[-1]).get("next_cursor"):
        pages.append(task_list(service, limit=2, cursor=cursor))

    assert [len(shown(each)["tasks"]) for each in pages] == [2, 2, 2, 1]
    assert [shown(each).get("left_out", 0) for each in pages] == [1, 2, 1, 1]


def test_a_tenant_whose_counter_is_damaged_is_left_out_of_the_overview(
    dynamo_store: DynamoTaskStore, service: TaskService, aws: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("acme", "rival", "third"):
        caller = replace(ADA, tenant=name)
        add(dynamo_store, a_task(), owner_key=caller.owner_key)
        DynamoTenants(dynamo_store.table).seen(name)
    for item in scan(aws.dynamodb):
        if item["PK"]["S"] == "rival" and item["SK"]["S"].startswith("quota#"):
            aws.dynamodb.put_item(TableName=TABLE, Item=item | {"running": {"S": "SECRET"}})
    forget_reported()

    answer = tenant_overview.listed(service.ports, DynamoTenants(dynamo_store.table), "")

    assert [each["tenant"] for each in shown(answer)["tenants"]] == ["acme", "third"]
    assert shown(answer)["left_out"] == 1
    assert words(answer).splitlines()[-1] == "1 more cannot be shown: the server's log names them."
    assert "running does not fit" in caplog.text
    assert "SECRET" not in caplog.text
