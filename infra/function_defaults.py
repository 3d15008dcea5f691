"""What every function of a server has, those of its state machines too."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from aws_cdk.aws_logs import LogGroup, RetentionDays
from constructs import Construct

from .function_code import FunctionCode


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDefaults:
    """The code that is loaded, the lowest level of log records, and how long these are kept."""

    code: FunctionCode
    log_level: str
    retention: RetentionDays

    def log_group(self, scope: Construct, construct_id: str) -> LogGroup:
        """Add the log group of a function."""
        return LogGroup(scope, construct_id, retention=self.retention, removal_policy=RemovalPolicy.DESTROY)
