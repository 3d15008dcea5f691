"""The only way a Lambda is built here, so that none forgets its logs, its tracing or its limits."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk.aws_iam import PolicyStatement, Role, ServicePrincipal
from aws_cdk.aws_lambda import ApplicationLogLevel, Architecture, Function, LoggingFormat, Tracing
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from infra.findings import acknowledge_wildcard
from infra.program import Program


class TaskServerFunction(Function):
    """The handler in `functions/<construct_id>`, which may do what `allow` says and nothing else."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        program: Program,
        environment: Mapping[str, str],
        timeout: Duration,
        memory: int,
        retention: RetentionDays,
        reserved: int | None = None,
    ) -> None:
        """Build it with a role and a log group of its own; `memory` is in MiB, `reserved` is concurrency."""
        logs = LogGroup(scope, f"{construct_id}Logs", retention=retention, removal_policy=RemovalPolicy.DESTROY)
        role = Role(scope, f"{construct_id}Role", assumed_by=ServicePrincipal("lambda.amazonaws.com"))
        super().__init__(
            scope,
            construct_id,
            code=program.code,
            handler=f"functions.{construct_id}.handler.handler",
            runtime=program.runtime,
            architecture=Architecture.ARM_64,
            layers=program.layers,
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
        acknowledge_wildcard(role, "*", "CDK adds what tracing needs, and X-Ray knows no resources.")

    def allow(self, *actions: str, on: Sequence[str], because: str = "") -> None:
        """Let it do exactly these actions on exactly these resources; a `*` in one needs a reason."""
        self.add_to_role_policy(PolicyStatement(actions=list(actions), resources=list(on)))
        for resource in on if because else ():
            acknowledge_wildcard(self._permitted, resource, because)
