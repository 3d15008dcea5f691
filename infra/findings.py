"""What cdk-nag finds and we mean: acknowledged where it is built, with the reason beside it."""

from typing import Any

from aws_cdk import Acknowledgment, Stack, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept a finding of the AWS Solutions rules on the construct and all below it."""
    Validations.of(construct).acknowledge(Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=reason))


def acknowledge_wildcard(construct: IConstruct, resource: str, reason: str) -> None:
    """Accept one resource with a `*` in it, and no other."""
    acknowledge(construct, f"IAM5[Resource::{_flat(Stack.of(construct).resolve(resource))}]", reason)


def _flat(resource: Any) -> str:
    """Write an intrinsic function the way the rule's findings do."""
    match resource:
        case {"Ref": name}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(_flat(part) for part in parts)
        case _:
            return str(resource)
