"""Every role of the stack, with every action on every resource: a change of either has to be made here too."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from infra.function_code import functions_of_revisions
from infra.tenant_access import TENANT
from mcp_tasks.adapters.tenant_role import TAG
from tests.infra.assembly import Assembly, flat

STATES = "arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>"
MACHINES = ("run_tool", "remind_me")
TABLE = "<TasksTable.Arn>"
STREAM = "<TasksTable.StreamArn>"
OBJECTS = "<PayloadsBucket.Arn>/*"
EVERYTHING_TRACED = {"*": {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}}
ITEMS = {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
AND_QUERY = {*ITEMS, "dynamodb:Query"}
READ_STREAM = {"dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"}
OBJECT = {"s3:GetObject", "s3:PutObject"}
WAKE = {f"{STATES}:stateMachine:McpTaskExamples-dev-{name}": {"states:SendTaskSuccess"} for name in MACHINES}
START_AND_WAKE = {machine: {*actions, "states:StartExecution"} for machine, actions in WAKE.items()}
STOP = {f"{STATES}:execution:McpTaskExamples-dev-{name}:*": {"states:StopExecution"} for name in MACHINES}
DESCRIBE_AND_STOP = {execution: {*actions, "states:DescribeExecution"} for execution, actions in STOP.items()}
INVOKE = {"lambda:InvokeFunction"}
START_BY_EVENT = {"<FunctionstoolsLive>": INVOKE}
DEFAULT_BUS = "arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus/default"
MINUTE = "arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:rule/McpTaskExamples-dev-AnchorAudit"
TOOLS_OBJECTS = "<Data.Arn>/*"

FUNCTIONS = {
    "servemcp": {
        TABLE: AND_QUERY,
        OBJECTS: OBJECT,
        **START_AND_WAKE,
        **STOP,
        **START_BY_EVENT,
        "<FunctionsruninlineLive>": INVOKE,
    },
    "runinline": {TOOLS_OBJECTS: {"s3:GetObject"}},
    "authorize": {TABLE: {"dynamodb:GetItem", "dynamodb:PutItem"}},
    "tools": {"<FunctionshostrunLive>": INVOKE},
    "hostrun": {
        TABLE: AND_QUERY,
        OBJECTS: OBJECT,
        "<FunctionsTenantAccessRole.Arn>": {"sts:AssumeRole", "sts:TagSession"},
    },
    "runtool": {"<FunctionstoolsLive>": INVOKE, TABLE: {"dynamodb:GetItem", "dynamodb:PutItem"}},
    "parktask": {TABLE: ITEMS, **WAKE},
    "recordoutcome": {
        "<FunctionsruninlineLive>": INVOKE,
        TABLE: ITEMS,
        OBJECTS: OBJECT,
        "<DeadLettersQueue.Arn>": {"sqs:SendMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"},
    },
    "reportprogress": {TABLE: ITEMS},
    "ontaskchange": {
        TABLE: AND_QUERY,
        STREAM: READ_STREAM,
        f"{TABLE}/stream/*": {"dynamodb:ListStreams"},
        DEFAULT_BUS: {"events:PutEvents"},
        OBJECTS: {"s3:GetObject"},
        "<DeadLettersQueue.Arn>": {"sqs:SendMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"},
        **START_AND_WAKE,
        **STOP,
        **START_BY_EVENT,
    },
    "sweep": {
        TABLE: AND_QUERY,
        f"{TABLE}/index/live": {"dynamodb:Query"},
        OBJECTS: {"s3:GetObject"},
        **{machine: {*actions, "states:ListExecutions"} for machine, actions in START_AND_WAKE.items()},
        **DESCRIBE_AND_STOP,
        **START_BY_EVENT,
    },
}
AUDITED = (
    "servemcp",
    "authorize",
    "hostrun",
    "ontaskchange",
    *(name.replace("_", "") for name in functions_of_revisions()),
)
FUNCTIONS["anchoraudit"] = {
    TABLE: {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"},
    **{f"<Functions{name}Logs.Arn>": {"logs:FilterLogEvents"} for name in AUDITED},
    MINUTE: {"events:EnableRule", "events:DisableRule"},
}
OF_REVISIONS = {"await_task": {TABLE: AND_QUERY, STREAM: READ_STREAM, OBJECTS: {"s3:GetObject"}}}
FUNCTIONS |= {name.replace("_", ""): OF_REVISIONS[name] for name in functions_of_revisions()}


def test_a_function_may_do_exactly_this(cloud: Assembly) -> None:
    expected = {
        f"Functions{name}Role": {
            **allowed,
            f"<Functions{name}Logs.Arn>": {"logs:CreateLogStream", "logs:PutLogEvents"},
            **EVERYTHING_TRACED,
        }
        for name, allowed in FUNCTIONS.items()
    }
    # What host_run takes for a tenant.
    expected["FunctionsTenantAccessRole"] = {f"<Data.Arn>/{TENANT}/*": OBJECT}

    assert {role: may for role, may in permissions(cloud).items() if role.startswith("Functions")} == expected


def test_a_machine_may_call_its_functions_and_say_what_it_does(cloud: Assembly) -> None:
    delivery = {"Create", "Get", "Update", "Delete"}
    expected = {
        "*": {
            *EVERYTHING_TRACED["*"],
            *("xray:GetSamplingRules", "xray:GetSamplingTargets"),
            *(f"logs:{verb}LogDelivery" for verb in delivery),
            *("logs:ListLogDeliveries", "logs:PutResourcePolicy"),
            *("logs:DescribeResourcePolicies", "logs:DescribeLogGroups"),
        },
        **{f"<Functions{name}Live>": INVOKE for name in ("tools", "runtool", "parktask", "recordoutcome")},
        # What executions invoke that 0.3 started.
        **{f"<Functions{name}.Arn>": INVOKE for name in ("runtool", "parktask", "recordoutcome")},
    }

    may = permissions(cloud)
    assert may["WorkruntoolMachineRole"] == expected
    assert may["WorkremindmeMachineRole"] == expected


def test_no_other_role_may_do_anything_but_one_that_writes_the_gateways_logs(cloud: Assembly) -> None:
    managed = {
        name: role["ManagedPolicyArns"]
        for name, role in cloud.of("AWS::IAM::Role").items()
        if "ManagedPolicyArns" in role
    }
    inline = [name for name, role in cloud.of("AWS::IAM::Role").items() if "Policies" in role]

    assert set(permissions(cloud)) == {
        *(f"Functions{name}Role" for name in FUNCTIONS),
        *("WorkruntoolMachineRole", "WorkremindmeMachineRole", "FunctionsTenantAccessRole"),
    }
    assert inline == []
    assert {name: [flat(arn) for arn in arns] for name, arns in managed.items()} == {
        "EndpointApiCloudWatchRole": [
            "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
        ]
    }


def test_a_role_is_assumed_by_the_service_it_is_for(cloud: Assembly) -> None:
    roles = cloud.of("AWS::IAM::Role")
    services = {
        statement["Principal"]["Service"]
        for name, role in roles.items()
        for statement in role["AssumeRolePolicyDocument"]["Statement"]
        if not name.startswith("FunctionsTenantAccessRole")
    }

    assert services == {"lambda.amazonaws.com", "states.amazonaws.com", "apigateway.amazonaws.com"}


def test_a_tenants_session_is_begun_by_the_host_of_runs_alone_and_for_a_tenant(cloud: Assembly) -> None:
    (role,) = (role for name, role in cloud.of("AWS::IAM::Role").items() if name.startswith("FunctionsTenantAccess"))
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]

    assert {name: flat(found) for name, found in trust["Principal"].items()} == {"AWS": "<FunctionshostrunRole.Arn>"}
    assert trust["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert trust["Condition"] == {"StringLike": {f"aws:RequestTag/{TAG}": "?*"}}
    assert f"${{aws:PrincipalTag/{TAG}}}" == TENANT


def permissions(assembly: Assembly) -> Mapping[str, Mapping[str, set[str]]]:
    """Role to resource to actions."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for policy in assembly.of("AWS::IAM::Policy").values():
        for role in policy["Roles"]:
            for statement in policy["PolicyDocument"]["Statement"]:
                assert statement["Effect"] == "Allow"
                for resource in listed(statement["Resource"]):
                    found[role["Ref"]][flat(resource)] |= set(listed(statement["Action"]))
    return found


def listed(value: Any) -> list[Any]:
    """Return what a policy may write alone or as a list."""
    return value if isinstance(value, list) else [value]
