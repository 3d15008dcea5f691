"""What alarms and graphs show: metrics over five minutes, of the server's own records and of AWS."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk.aws_cloudwatch import IMetric, MathExpression, Metric
from aws_cdk.aws_lambda import IFunction

PERIOD: Final = Duration.minutes(5)


def metric(namespace: str, name: str, statistic: str = "Sum", *, dimensions: Mapping[str, str] | None = None) -> Metric:
    """Return a metric."""
    return Metric(namespace=namespace, metric_name=name, statistic=statistic, period=PERIOD, dimensions_map=dimensions)


def of_function(function: IFunction, name: str, statistic: str = "Sum") -> Metric:
    """Return a metric that Lambda has of a function, with all its versions."""
    return metric("AWS/Lambda", name, statistic, dimensions={"FunctionName": function.function_name})


def of_table(table: str, name: str, statistic: str = "Sum") -> Metric:
    """Return a metric that DynamoDB has of a table."""
    return metric("AWS/DynamoDB", name, statistic, dimensions={"TableName": table})


def sum_of(metrics: Mapping[str, IMetric]) -> MathExpression:
    """Return the sum of up to ten metrics by their names, of which some may have no datapoint."""
    return math("+".join(f"FILL({name},0)" for name in metrics), metrics)


def by(namespace: str, name: str, *dimensions: str, statistic: str = "Sum") -> MathExpression:
    """Return all metrics of a name that have these dimensions and no others, as a dashboard finds them."""
    schema = ",".join(f'"{each}"' for each in (namespace, *dimensions))
    search = f'{{{schema}}} MetricName="{name}"'
    found = f"SEARCH('{search}', '{statistic}', {PERIOD.to_seconds():.0f})"
    return MathExpression(expression=found, using_metrics={}, label="", period=PERIOD)


def math(expression: str, metrics: Mapping[str, IMetric], period: Duration = PERIOD) -> MathExpression:
    """Return what an expression makes of metrics by their names, over such a period."""
    return MathExpression(expression=expression, using_metrics=metrics, period=period, label=expression)
