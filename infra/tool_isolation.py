"""The stage setting `tool_isolation`: whether tenants share the environments that run tools."""

from typing import Final, TypeVar

from aws_cdk.aws_lambda import CfnFunction

from .function import TaskServerFunction

SHARED: Final = "shared"
VALUES: Final = (SHARED, "tenant")
F = TypeVar("F", bound=TaskServerFunction)


def isolate(isolation: str, run_tool: F, run_inline: F, *, through: F) -> F:
    """Give each tenant environments of its own, if that is the setting; returns what state machines invoke for runs.

    Step Functions does not tell Lambda whose an invocation is, so that it is made `through` a function that does.  A
    function that was not created so is replaced.
    """
    if isolation == SHARED:
        return run_tool
    for function in (run_tool, run_inline):
        resource = function.function.node.default_child
        assert isinstance(resource, CfnFunction)
        resource.tenancy_config = CfnFunction.TenancyConfigProperty(tenant_isolation_mode="PER_TENANT")
    return through
