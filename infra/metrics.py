"""CloudWatch metrics from log records by metric filters: no code runs for them, and an empty metric costs nothing."""

from collections.abc import Mapping, Sequence

from aws_cdk.aws_cloudwatch import Unit
from aws_cdk.aws_lambda import Function
from aws_cdk.aws_logs import FilterPattern, JsonPattern, MetricFilter

FAILED_RUNS = "failed_runs"
FALLBACK = "fallback"


def has_number(field: str) -> JsonPattern:
    """Return the pattern of records with a number in a field, of which none is below 0."""
    return FilterPattern.number_value(f"$.{field}", ">=", 0)


def says(*messages: str) -> JsonPattern:
    """Return the pattern of records with one of these messages."""
    return FilterPattern.any(*(FilterPattern.string_value("$.message", "=", each) for each in messages))


def publish(
    function: Function,
    construct_id: str,
    name: str,
    pattern: JsonPattern,
    *,
    namespace: str,
    of: str | None = None,
    by: Mapping[str, str] | None = None,
) -> None:
    """Publish a metric of the function's log records that match a pattern: their number, or what a field `of` has.

    `by` are the fields that tell one metric of the name from another, by the dimension's name; the pattern must not
    match a record that lacks one.  `of` is a field with milliseconds if its name says so.
    """
    MetricFilter(
        function,
        construct_id,
        log_group=function.log_group,
        filter_pattern=pattern,
        metric_namespace=namespace,
        metric_name=name,
        metric_value=f"$.{of}" if of else "1",
        unit=Unit.MILLISECONDS if of and of.endswith("ms") else None,
        dimensions={dimension: f"$.{field}" for dimension, field in by.items()} if by else None,
    )


def count_by(function: Function, field: str, *, namespace: str) -> None:
    """Count the function's log records that have a field, by the field's value."""
    pattern = FilterPattern.exists(f"$.{field}")
    publish(function, f"Count_{field}", field, pattern, namespace=namespace, by={field: field})


def count_failures(function: Function, *, namespace: str, signals: Sequence[str]) -> None:
    """Count the function's failures in a metric: Lambda's `Errors` without errors that state machines expect.

    `signals` are the names of these.  The others are in what Lambda's runtime logs, and where the process died or its
    time was over, in the platform's report.  Exceptions that code logs have their type as well, and a logger's name.
    """
    raised = [FilterPattern.exists("$.errorType"), FilterPattern.not_exists("$.logger")]
    raised += [FilterPattern.string_value("$.errorType", "!=", signal) for signal in signals]
    ended = [FilterPattern.string_value("$.record.status", "=", status) for status in ("failure", "timeout")]
    pattern = FilterPattern.any(FilterPattern.all(*raised), *ended)
    publish(function, f"Count_{FAILED_RUNS}", FAILED_RUNS, pattern, namespace=namespace)
