"""Acknowledges findings of cdk-nag, at the construct that has them and with the reason beside it."""

import json
import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import jsii
from aws_cdk import Acknowledgment, ArnFormat, Aspects, IAspect, Stack, Validations
from aws_cdk.aws_iam import CfnPolicy
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IStateMachine
from constructs import IConstruct


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Acknowledge a finding of the AWS Solutions rules on the construct and its children."""
    Validations.of(construct).acknowledge(Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=reason))


def acknowledge_wildcard(construct: IConstruct, resource: str, reason: str) -> None:
    """Acknowledge one policy resource with a `*` in it, and no other."""
    acknowledge(construct, f"IAM5[Resource::{flat(Stack.of(construct).resolve(resource))}]", reason)


# What CDK permits on `*` to functions and state machines: these actions have no resource types.
TRACES = ("GetSamplingRules", "GetSamplingTargets", "PutTelemetryRecords", "PutTraceSegments")
DELIVERIES = (
    *("CreateLogDelivery", "DeleteLogDelivery", "GetLogDelivery", "ListLogDeliveries", "UpdateLogDelivery"),
    *("DescribeLogGroups", "DescribeResourcePolicies", "PutResourcePolicy"),
)
RESOURCELESS = {f"{service}:{name}" for service, names in (("xray", TRACES), ("logs", DELIVERIES)) for name in names}


@jsii.implements(IAspect)
class _Resourceless:
    """Acknowledges a `*` in policies that permit nothing else on it."""

    def visit(self, node: IConstruct) -> None:
        if isinstance(node, CfnPolicy):
            statements = Stack.of(node).resolve(node.policy_document)["Statement"]
            permitted = [each["Action"] for each in statements if each["Resource"] == "*"]
            if RESOURCELESS.issuperset(
                chain.from_iterable([one] if isinstance(one, str) else one for one in permitted)
            ):
                acknowledge_wildcard(node, "*", "Neither X-Ray nor the delivery of logs has resource types.")


def acknowledge_resourceless(role: IConstruct) -> None:
    """Acknowledge that a role permits tracing and the delivery of logs on `*`, if nothing else: that is its owner's."""
    Aspects.of(role).add(_Resourceless())


def acknowledge_versions(construct: IConstruct, functions: Iterable[IFunction]) -> None:
    """Acknowledge that whoever may invoke one of these functions may invoke its versions."""
    for function in functions:
        acknowledge_wildcard(construct, f"{function.function_arn}:*", "CDK adds the function's versions: it has none.")


def acknowledge_revisions(construct: IConstruct, task_definition_arn: str) -> None:
    """Acknowledge that a state machine may run any revision of a task definition of ECS."""
    stack = Stack.of(construct)
    parts = stack.split_arn(task_definition_arn, ArnFormat.SLASH_RESOURCE_NAME)
    family = stack.format_arn(
        partition=parts.partition,
        service=parts.service,
        region=parts.region,
        account=parts.account,
        resource=parts.resource,
        resource_name=parts.resource_name,
    )
    acknowledge_wildcard(construct, f"{family}:*", "CDK permits all revisions, of which the last is active.")


def acknowledge_items(machine: IStateMachine) -> None:
    """Acknowledge that a state machine may stop the executions of the items of its distributed Maps."""
    stack, form = Stack.of(machine), ArnFormat.COLON_RESOURCE_NAME
    name = stack.split_arn(machine.state_machine_arn, form).resource_name
    for items in (f"{name}:*", f"{name}/*:*"):
        executions = stack.format_arn(service="states", resource="execution", resource_name=items, arn_format=form)
        acknowledge_wildcard(machine, executions, "Step Functions names the executions of the items.")


def flat(resource: Any) -> str:
    """Return what was resolved as text, with intrinsic functions as cdk-nag writes them into the id of a finding."""
    match resource:
        case {"Ref": name}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(flat(part) for part in parts)
        case dict():
            return json.dumps(resource, separators=(",", ":"))
        case _:
            # A policy's own variables look like those of Fn::Sub to it.
            return re.sub(r"\$\{([^}]*)\}", r"<\1>", str(resource))
