"""The construct for every Lambda function of the stack: each has its role, log group, tracing and limits."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk.aws_iam import PolicyStatement, Role, ServicePrincipal
from aws_cdk.aws_lambda import ApplicationLogLevel, Architecture, Function, LoggingFormat, Tracing
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from .findings import acknowledge_wildcard
from .function_code import FunctionCode


class TaskServerFunction(Function):
    """The function whose handler `loaded` has for `construct_id`; its role permits what `allow` adds, nothing else."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        loaded: FunctionCode,
        environment: Mapping[str, str],
        timeout: Duration,
        memory: int,
        retention: RetentionDays,
        reserved: int | None = None,
    ) -> None:
        """Build the function; `memory` is in MiB, `reserved` is its reserved concurrency."""
        logs = LogGroup(scope, f"{construct_id}Logs", retention=retention, removal_policy=RemovalPolicy.DESTROY)
        role = Role(scope, f"{construct_id}Role", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
        super().__init__(
            scope,
            construct_id,
            code=loaded.asset,
            handler=loaded.handler(construct_id),
            runtime=loaded.runtime,
            architecture=Architecture.ARM_64,
            layers=loaded.layers,
            role=role,
            environment=dict(environment),
            timeout=timeout,
            memory_size=memory,
            reserved_concurrent_executions=reserved,
            log_group=logs,
            logging_format=LoggingFormat.JSON,
            application_log_level_v2=ApplicationLogLevel[environment["LOG_LEVEL"]],
            tracing=Tracing.ACTIVE,
        )
        self._permitted = role
        self.allow("logs:CreateLogStream", "logs:PutLogEvents", on=[logs.log_group_arn])
        acknowledge_wildcard(role, "*", "CDK adds the permission for tracing, and X-Ray has no resource types.")

    def allow(self, *actions: str, on: Sequence[str], because: str = "") -> None:
        """Permit these actions on these resources; one with a `*` is acknowledged with the reason `because`."""
        self.add_to_role_policy(PolicyStatement(actions=list(actions), resources=list(on)))
        for resource in on if because else ():
            acknowledge_wildcard(self._permitted, resource, because)
