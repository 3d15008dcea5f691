"""The release that a deploy makes: all functions of a stack get a version of it, and each knows its name."""

import hashlib
import json
from typing import Any, Final

import jsii
from aws_cdk import Aspects, CfnResource, IAspect, Stack
from aws_cdk.aws_lambda import CfnFunction, CfnLayerVersion
from constructs import Construct, IConstruct

from .function import TaskServerFunction

VARIABLE: Final = "RELEASE"
DIGITS: Final = 12

# What changes no version: AWS keeps these beside a function.
UNVERSIONED: Final = ("tags", "reservedConcurrentExecutions")


def name_release(scope: Construct) -> None:
    """Name the release of a scope's stack after all that its functions are, when it is synthesised.

    Without a variable that all share, a deploy would publish versions of some, and the aliases of the others would stay
    where a rollback put them.
    """
    Aspects.of(Stack.of(scope)).add(_Named())


@jsii.implements(IAspect)
class _Named:
    """Gives each function of a stack the digest of all of them, and of their layers."""

    def visit(self, node: IConstruct) -> None:
        if not isinstance(node, Stack):
            return
        found = node.node.find_all()
        layers = [each for each in found if isinstance(each, CfnLayerVersion)]
        functions = [each.function.node.default_child for each in found if isinstance(each, TaskServerFunction)]
        resources = [each for each in (*layers, *functions) if isinstance(each, CfnResource)]
        content = json.dumps([_properties(node, each) for each in resources], sort_keys=True)
        release = hashlib.sha256(content.encode()).hexdigest()[:DIGITS]
        for function in functions:
            assert isinstance(function, CfnFunction)
            function.add_property_override(f"Environment.Variables.{VARIABLE}", release)


def _properties(stack: Stack, resource: CfnResource) -> Any:
    properties: dict[str, Any] = stack.resolve(resource._cfn_properties)
    return {name: value for name, value in properties.items() if name not in UNVERSIONED}
