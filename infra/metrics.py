"""CloudWatch metrics from log records by metric filters: no code runs for them, and an empty metric costs nothing."""

from collections.abc import Sequence

from aws_cdk.aws_lambda import Function
from aws_cdk.aws_logs import FilterPattern, MetricFilter


def count_by(function: Function, field: str, *, namespace: str) -> None:
    """Count the function's log records that have a field, by the field's value."""
    MetricFilter(
        function,
        f"Count_{field}",
        log_group=function.log_group,
        filter_pattern=FilterPattern.exists(f"$.{field}"),
        metric_namespace=namespace,
        metric_name=field,
        dimensions={field: f"$.{field}"},
    )


def count_failures(function: Function, name: str, *, namespace: str, signals: Sequence[str]) -> None:
    """Count the function's failures in a metric: Lambda's `Errors` without errors that state machines expect.

    `signals` are the names of these.  The others are in what Lambda's runtime logs, and where the process died or its
    time was over, in the platform's report.
    """
    raised = [FilterPattern.exists("$.errorType")]
    raised += [FilterPattern.string_value("$.errorType", "!=", signal) for signal in signals]
    ended = [FilterPattern.string_value("$.record.status", "=", status) for status in ("failure", "timeout")]
    MetricFilter(
        function,
        f"Count_{name}",
        log_group=function.log_group,
        filter_pattern=FilterPattern.any(FilterPattern.all(*raised), *ended),
        metric_namespace=namespace,
        metric_name=name,
    )
