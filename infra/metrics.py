"""CloudWatch metrics from log records by metric filters: no code runs for them, and an empty metric costs nothing."""

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
