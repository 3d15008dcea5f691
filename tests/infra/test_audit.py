"""The function that anchors audit records: when it runs, what it reads, and who else reads its key."""

import json
from typing import Any

import pytest

from infra.function_code import functions_of_revisions
from mcp_tasks.adapters.dynamodb.anchors import AUDIT
from mcp_tasks.adapters.dynamodb.items import SYSTEM
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS
from mcp_tasks.adapters.dynamodb.plan_items import plan_key
from mcp_tasks.security.tenancy import Caller, tenant_of
from tests.infra.assembly import Assembly, flat
from tests.infra.test_functions import function, logical_id

WRITERS = ("serve_mcp", *functions_of_revisions(), "host_run", "on_task_change", "authorize")


@pytest.mark.parametrize(("name", "rate"), [("AuditWhileAwake", "rate(1 minute)"), ("AuditHour", "rate(1 hour)")])
def test_its_rules_invoke_it(cloud: Assembly, name: str, rate: str) -> None:
    rule = cloud.of("AWS::Events::Rule")[name]
    (target,) = rule["Targets"]

    assert rule["ScheduleExpression"] == rate
    assert target["Arn"] == {"Ref": "FunctionsanchorauditLive"}
    assert function(cloud, "anchor_audit")["Timeout"] < 60


def test_it_may_enable_and_disable_the_rule_of_each_minute_and_no_other(cloud: Assembly) -> None:
    name = cloud.of("AWS::Events::Rule")["AuditWhileAwake"]["Name"]
    (statement,) = (
        statement
        for policy in cloud.of("AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if "events:DisableRule" in _listed(statement["Action"])
    )

    assert function(cloud, "anchor_audit")["Environment"]["Variables"]["AUDIT_RULE"] == name
    assert sorted(statement["Action"]) == ["events:DisableRule", "events:EnableRule"]
    assert flat(statement["Resource"]).endswith(f":rule/{name}")


def test_first_record_of_a_chain_wakes_it_from_each_log_group_with_records(cloud: Assembly) -> None:
    filters = list(cloud.of("AWS::Logs::SubscriptionFilter").values())

    assert [flat(each["LogGroupName"]) for each in filters] == [f"<{logical_id(name)}Logs>" for name in WRITERS]
    assert {each["FilterPattern"] for each in filters} == {'"begins_chain"'}
    assert {flat(each["DestinationArn"]) for each in filters} == {"<FunctionsanchorauditLive>"}


def test_it_is_told_the_log_groups_with_audit_records_and_how_long_they_are_kept(cloud: Assembly) -> None:
    variables = function(cloud, "anchor_audit")["Environment"]["Variables"]

    groups = json.loads(flat(variables["AUDIT_LOG_GROUPS"]))
    assert groups == [f"<{logical_id(name)}Logs>" for name in WRITERS]
    kept = {cloud.of("AWS::Logs::LogGroup")[each.strip("<>")]["RetentionInDays"] for each in groups}
    assert kept == {int(variables["LOG_RETENTION_DAYS"])}


def test_every_other_function_that_reads_the_table_is_kept_from_the_key_that_signs(cloud: Assembly) -> None:
    allowed = [
        (policy["Roles"][0]["Ref"], statement)
        for policy in cloud.of("AWS::IAM::Policy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if any(str(action).startswith("dynamodb:") for action in _listed(statement["Action"]))
        and flat(statement["Resource"]) == "<TasksTable.Arn>"
    ]

    assert len(allowed) > 10
    mine = [statement for role, statement in allowed if role == "FunctionsanchorauditRole"]
    assert [each["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"] for each in mine] == [
        [AUDIT_KEYS],
        [AUDIT],
    ]
    assert mine[0]["Action"] == "dynamodb:GetItem"
    assert all("Condition" in statement for _, statement in allowed)


def test_nobodys_items_are_in_the_partition_of_the_anchors() -> None:
    for tenant in (AUDIT, AUDIT_KEYS, "audit", "!audit", "!audit-keys", "!"):
        owner = Caller(tenant=tenant, subject="x").owner_key
        for reserved in (AUDIT, AUDIT_KEYS):
            assert reserved not in (owner, tenant_of(owner), plan_key(tenant_of(owner))["PK"]["S"], SYSTEM)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
