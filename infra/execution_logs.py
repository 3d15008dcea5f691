"""What Step Functions logs of executions: their history is kept for 90 days without that."""

from aws_cdk import RemovalPolicy
from aws_cdk.aws_logs import LogGroup
from aws_cdk.aws_stepfunctions import LogLevel, LogOptions, StateMachine
from constructs import Construct

from .findings import acknowledge
from .server_settings import ServerSettings


def log_options(scope: Construct, construct_id: str, *, name: str, settings: ServerSettings) -> LogOptions:
    """Add the log group of a server's executions, and return what is logged there: neither inputs nor outputs."""
    logs = LogGroup(
        scope,
        construct_id,
        # Log groups under any other prefix each add to CloudWatch Logs' resource policy, whose size is limited.
        log_group_name=f"/aws/vendedlogs/states/{name}",
        retention=settings.retention,
        removal_policy=RemovalPolicy.DESTROY,
    )
    return LogOptions(destination=logs, level=LogLevel[settings.execution_log_level], include_execution_data=False)


def acknowledge_levels(machine: StateMachine) -> None:
    """Acknowledge that a stage says how much of executions is logged and traced."""
    acknowledge(machine, "SF1", "Step Functions keeps the history of each execution for 90 days.")
    acknowledge(machine, "SF2", "Whether executions are traced is a setting of the stage.")
