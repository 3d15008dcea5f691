"""What every function of a server has, those of its state machines too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import RemovalPolicy
from aws_cdk.aws_lambda import (
    ApplicationLogLevel,
    Architecture,
    Function,
    LoggingFormat,
    SystemLogLevel,
    Tracing,
    VersionOptions,
)
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from .findings import acknowledge
from .function_code import FunctionCode

# A deploy would delete what the one before published, and a rollback would have nothing to return to.
RETAINED = VersionOptions(removal_policy=RemovalPolicy.RETAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDefaults:
    """The code that is loaded, the lowest level of log records, how long these are kept, and whether runs are traced.

    `platform_log_level` is that of Lambda's own records, of which failures and timeouts are at `WARN`: `failed_runs`
    counts them.
    """

    code: FunctionCode
    log_level: str
    platform_log_level: str
    retention: RetentionDays
    traced: bool

    def log_group(self, scope: Construct, construct_id: str) -> LogGroup:
        """Add the log group of a function."""
        return LogGroup(scope, construct_id, retention=self.retention, removal_policy=RemovalPolicy.DESTROY)

    def function(
        self, scope: Construct, construct_id: str, *, environment: Mapping[str, str], **properties: Any
    ) -> Function:
        """Add a function, with what differs from one to the next in `properties`; its versions are retained."""
        function = Function(
            scope,
            construct_id,
            code=self.code.asset,
            runtime=self.code.runtime,
            architecture=Architecture.ARM_64,
            layers=self.code.layers,
            environment={"LOG_LEVEL": self.log_level, **self.code.environment, **environment},
            logging_format=LoggingFormat.JSON,
            application_log_level_v2=ApplicationLogLevel[self.log_level],
            system_log_level_v2=SystemLogLevel[self.platform_log_level],
            tracing=Tracing.ACTIVE if self.traced else Tracing.DISABLED,
            current_version_options=RETAINED,
            **properties,
        )
        acknowledge(function, "L1", "The bytecode in the assets is that of Python 3.13.")
        return function
