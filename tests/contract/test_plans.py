"""Plans in the table: one item for each tenant, read by every process within a minute, and written by operators."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb import plans as adapter
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems, plan_key
from mcp_tasks.adapters.dynamodb.plans import DynamoPlans
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, UnreadableItem
from mcp_tasks.tasks.named_plans import Grant, NamedPlans
from mcp_tasks.tasks.plan import Plan
from tests.cloud import TABLE, Cloud
from tests.contract.process import Fuse
from tests.kit import NOON, FixedClock

STAGE = NamedPlans.of({"default": {"active_tasks": 9}, "gold": {"active_tasks": 90}}, Plan())


@pytest.fixture
def items(aws: Cloud, clock: FixedClock) -> PlanItems:
    return PlanItems(table=Table(client=aws.dynamodb, name=TABLE, clock=clock))


@pytest.fixture
def plans(items: PlanItems) -> DynamoPlans:
    return DynamoPlans(items, STAGE)


def test_a_tenant_of_whom_nothing_is_stored_has_the_default_plan(plans: DynamoPlans) -> None:
    assert plans.of("acme") == Plan(active_tasks=9)


def test_a_tenant_has_what_is_stored_of_it_and_no_other_has(items: PlanItems, plans: DynamoPlans) -> None:
    items.write("acme", Grant(plan="gold", overrides={"tools": ["greet"]}, suspended=True), replacing=0)

    assert plans.of("acme") == Plan(active_tasks=90, tools=frozenset({"greet"}), suspended=True)
    assert plans.of("rival") == Plan(active_tasks=9)


def test_a_change_holds_half_a_minute_later_and_nothing_is_read_before(
    items: PlanItems, aws: Cloud, clock: FixedClock
) -> None:
    calls = (fuse := Fuse()).calls
    counting = Table(client=fuse.around(aws.dynamodb), name=TABLE, clock=clock)
    plans = DynamoPlans(PlanItems(table=counting), STAGE)
    for tenant in ("acme", "rival"):
        plans.of(tenant)
    items.write("acme", Grant(plan="gold"), replacing=0)
    clock.advance(timedelta(seconds=29))

    assert [plans.of(tenant).active_tasks for tenant in ("acme", "rival")] == [9, 9]
    assert len(calls) == 2

    clock.advance(timedelta(seconds=1))

    assert [plans.of(tenant).active_tasks for tenant in ("acme", "rival")] == [90, 9]
    assert len(calls) == 4


def test_as_many_tenants_as_there_are_take_bounded_memory(plans: DynamoPlans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "MAX_KNOWN_TENANTS", 3)

    for number in range(9):
        plans.of(f"tenant {number}")

    assert list(plans._known) == ["tenant 6", "tenant 7", "tenant 8"]


def test_of_two_operators_who_change_a_plan_the_second_is_told(items: PlanItems) -> None:
    items.write("acme", Grant(plan="gold"), replacing=0)

    with pytest.raises(ConditionFailed):
        items.write("acme", Grant(suspended=True), replacing=0)
    items.write("acme", Grant(suspended=True), replacing=1)
    with pytest.raises(ConditionFailed):
        items.write("acme", Grant(), replacing=1)

    assert items.read("acme") == (Grant(suspended=True), 2, NOON)


def test_a_plan_that_cannot_be_read_serves_nobody_rather_than_a_suspended_tenant(
    items: PlanItems, plans: DynamoPlans, aws: Cloud
) -> None:
    items.write("acme", Grant(overrides={"active_tasks": "many"}), replacing=0)
    items.write("rival", Grant(), replacing=0)
    aws.dynamodb.update_item(
        TableName=TABLE,
        Key=plan_key("rival"),
        UpdateExpression="SET #schema = :newer",
        ExpressionAttributeNames={"#schema": "schema"},
        ExpressionAttributeValues={":newer": {"N": "99"}},
    )

    with pytest.raises(UnreadableItem, match="active_tasks is a whole number"):
        plans.of("acme")
    with pytest.raises(NewerSchema):
        plans.of("rival")


def test_a_plan_that_the_stage_no_longer_has_is_the_default_one_and_says_so(
    items: PlanItems, plans: DynamoPlans, caplog: pytest.LogCaptureFixture
) -> None:
    items.write("acme", Grant(plan="silver", overrides={"held_waits": 2}, suspended=True), replacing=0)

    assert plans.of("acme") == Plan(active_tasks=9, held_waits=2, suspended=True)
    assert [vars(record)["fallback"] for record in caplog.records] == ["unknown_plan"]


@pytest.mark.parametrize("name", ["acme!", "!", "acme#", "acme!#plan", "acme%21", "acme%"])
def test_no_caller_is_named_so_that_its_items_are_a_plan(name: str) -> None:
    partition = plan_key("acme")["PK"]["S"]

    for tenant, subject in [(name, "ada"), ("acme", name), (name, name)]:
        caller = Caller(tenant=tenant, subject=subject)
        assert partition not in (caller.owner_key, caller.owner_key.partition("#")[0])
