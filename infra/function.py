"""The construct for every Lambda function of the stack: each has its role, log group, tracing and limits."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration
from aws_cdk.aws_iam import PolicyStatement, Role, ServicePrincipal
from aws_cdk.aws_lambda import ApplicationLogLevel, Architecture, Function, LoggingFormat, Tracing
from constructs import Construct

from .findings import acknowledge, acknowledge_resourceless, acknowledge_wildcard
from .function_defaults import FunctionDefaults


class TaskServerFunction(Function):
    """A function with a role of its own, which permits what `allow` adds and nothing else."""

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
        loaded, logs = defaults.code, defaults.log_group(scope, f"{construct_id}Logs")
        role = Role(scope, f"{construct_id}Role", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
        super().__init__(
            scope,
            construct_id,
            code=loaded.asset,
            handler=handler,
            runtime=loaded.runtime,
            architecture=Architecture.ARM_64,
            layers=loaded.layers,
            role=role,
            environment={"LOG_LEVEL": defaults.log_level, **environment},
            timeout=timeout,
            memory_size=memory,
            reserved_concurrent_executions=reserved,
            log_group=logs,
            logging_format=LoggingFormat.JSON,
            application_log_level_v2=ApplicationLogLevel[defaults.log_level],
            tracing=Tracing.ACTIVE,
        )
        self.permitted, self.defaults = role, defaults
        self.allow("logs:CreateLogStream", "logs:PutLogEvents", on=[logs.log_group_arn])
        acknowledge(self, "L1", "The bytecode in the assets is that of Python 3.13.")
        acknowledge_resourceless(role)

    def allow(self, *actions: str, on: Sequence[str], because: str = "") -> None:
        """Permit these actions on these resources; one with a `*` is acknowledged with the reason `because`."""
        self.add_to_role_policy(PolicyStatement(actions=list(actions), resources=list(on)))
        for resource in on if because else ():
            acknowledge_wildcard(self.permitted, resource, because)
