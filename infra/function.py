"""The construct for every Lambda function of the stack: each has its role, log group, tracing, limits and versions."""

from collections.abc import Mapping, Sequence
from typing import Final

from aws_cdk import Duration
from aws_cdk.aws_iam import PolicyStatement, Role, ServicePrincipal
from aws_cdk.aws_lambda import Alias
from constructs import Construct

from .findings import acknowledge_resourceless, acknowledge_wildcard
from .function_defaults import FunctionDefaults

LIVE: Final = "live"


class TaskServerFunction(Alias):
    """The alias `live` of a function with a role of its own, which permits what `allow` adds and nothing else.

    Whoever is given its ARN invokes the version that was deployed last, or that a rollback returned to: code, layers
    and variables change at once.  `function` is the function without an alias, which publishes the versions.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        defaults: FunctionDefaults,
        handler: str,
        environment: Mapping[str, str],
        timeout: Duration,
        memory: int,
        reserved: int | None = None,
    ) -> None:
        """Build the function; `memory` is in MiB, `reserved` is its reserved concurrency."""
        logs = defaults.log_group(scope, f"{construct_id}Logs")
        role = Role(scope, f"{construct_id}Role", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
        limits = {"timeout": timeout, "memory_size": memory, "reserved_concurrent_executions": reserved}
        self.function = defaults.function(
            scope, construct_id, handler=handler, environment=environment, role=role, log_group=logs, **limits
        )
        super().__init__(scope, f"{construct_id}Live", alias_name=LIVE, version=self.function.current_version)
        self.permitted, self.defaults = role, defaults
        self.allow("logs:CreateLogStream", "logs:PutLogEvents", on=[logs.log_group_arn])
        acknowledge_resourceless(role)

    def allow(self, *actions: str, on: Sequence[str], because: str = "") -> None:
        """Permit these actions on these resources; one with a `*` is acknowledged with the reason `because`."""
        self.add_to_role_policy(PolicyStatement(actions=list(actions), resources=list(on)))
        for resource in on if because else ():
            acknowledge_wildcard(self.permitted, resource, because)

    def add_environment(self, key: str, value: str) -> None:
        """Set an environment variable."""
        self.function.add_environment(key, value)
