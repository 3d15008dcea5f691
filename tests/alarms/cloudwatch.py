"""What CloudWatch would make of a stack's logs: metrics by its metric filters, and alarms by its metrics."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, TypeAlias

from mcp_tasks.testing.state_machines.template import Template
from tests.filter_pattern import published

Metric: TypeAlias = tuple[str, str, frozenset[tuple[str, str]]]
Series: TypeAlias = Callable[[datetime, datetime], float | None]
"""What a metric, or an expression, is from one moment to another."""

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold,
    "LessThanThreshold": lambda value, threshold: value < threshold,
}
STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "Sum": sum,
    "Maximum": max,
    "p90": lambda values: sorted(values)[ceil(0.90 * len(values)) - 1],
    "p99": lambda values: sorted(values)[ceil(0.99 * len(values)) - 1],
}
WHEN_MISSING = {"breaching": True, "notBreaching": False}


def metric(namespace: str, name: str, dimensions: Mapping[str, str]) -> Metric:
    """Return what identifies a metric: CloudWatch adds nothing up over dimensions."""
    return namespace, name, frozenset(dimensions.items())


@dataclass(slots=True, kw_only=True)
class CloudWatch:
    """The metric filters and alarms of a template, and the datapoints so far."""

    template: Template
    _filters: dict[str, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    _groups: dict[str, str] = field(default_factory=dict)
    _datapoints: dict[Metric, list[tuple[datetime, float]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for _, each in self.template.of_type("AWS::Logs::MetricFilter"):
            self._filters[each["LogGroupName"]].append(each)
        for name, function in self.template.of_type("AWS::Lambda::Function"):
            if "LoggingConfig" in function:
                self._groups[name] = function["LoggingConfig"].get("LogGroup", "")

    @property
    def alarms(self) -> Mapping[str, Mapping[str, Any]]:
        """The alarms by their names, without that of the stack."""
        found = [each for _, each in self.template.of_type("AWS::CloudWatch::Alarm")]
        return {each["AlarmName"].rpartition("-")[2]: each for each in found}

    @property
    def metrics(self) -> set[Metric]:
        """The metrics that have datapoints."""
        return set(self._datapoints)

    def function(self, folder: str) -> str:
        """Return the name of the function in `functions/<folder>`."""
        handler, functions = f"functions.{folder}.handler.handler", self.template.of_type("AWS::Lambda::Function")
        (name,) = (name for name, each in functions if each.get("Handler") == handler)
        return name

    def invoked(self, function: str, at: datetime, *, failed: bool = False) -> None:
        """Take an invocation of a function, as Lambda counts it."""
        for name, value in (("Invocations", 1), ("Errors", failed), ("Throttles", 0)):
            self.put(at, "AWS/Lambda", name, {"FunctionName": function}, value)

    def scheduled(self, began: datetime, ended: datetime, schedules: Mapping[str, timedelta]) -> None:
        """Take the invocations of functions by a schedule, each of which ends well."""
        for folder, period in schedules.items():
            for number in range(ceil((ended - began) / period)):
                self.invoked(self.function(folder), began + number * period)

    def log(self, function: str, line: str, at: datetime) -> None:
        """Take a line of a function's log."""
        for each in self._filters[self._groups[function]]:
            if (found := published(each, line)) is not None:
                self.put(at, found.namespace, found.name, found.dimensions, found.value)

    def put(self, at: datetime, namespace: str, name: str, dimensions: Mapping[str, str], value: float = 1) -> None:
        """Take a value of a metric."""
        self._datapoints[metric(namespace, name, dimensions)].append((at, value))

    def went_off(self, began: datetime, ended: datetime) -> set[str]:
        """Return the names of the alarms that went off between two moments, before which nothing is known."""
        return {name for name, alarm in self.alarms.items() if self._went_off(alarm, began, ended)}

    def _went_off(self, alarm: Mapping[str, Any], began: datetime, ended: datetime) -> bool:
        series, period = self._series(alarm)
        breaches = COMPARISONS[alarm["ComparisonOperator"]]
        known = [series(start, start + period) for start in _periods(began, ended, period)]
        missing = WHEN_MISSING[alarm["TreatMissingData"]]
        breaching = [missing if value is None else breaches(value, alarm["Threshold"]) for value in known]
        last, least = alarm["EvaluationPeriods"], alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])
        assert len(breaching) >= last, "the run is shorter than what the alarm looks at"
        return any(sum(breaching[at : at + last]) >= least for at in range(len(breaching) - last + 1))

    def _series(self, alarm: Mapping[str, Any]) -> tuple[Series, timedelta]:
        if "Metrics" not in alarm:
            statistic = alarm.get("Statistic") or alarm["ExtendedStatistic"]
            return self._single(alarm, statistic), timedelta(seconds=alarm["Period"])
        (expression,) = (each for each in alarm["Metrics"] if "Expression" in each)
        stats = {each["Id"]: each["MetricStat"] for each in alarm["Metrics"] if "MetricStat" in each}
        assert expression.get("ReturnData", True)
        assert len(stats) <= 10, "more than an alarm's expression may have"
        (period,) = {each["Period"] for each in stats.values()}
        of = {name: self._single(each["Metric"], each["Stat"]) for name, each in stats.items()}

        def evaluated(start: datetime, end: datetime) -> float | None:
            return _evaluated(expression["Expression"], {name: series(start, end) for name, series in of.items()})

        return evaluated, timedelta(seconds=period)

    def _single(self, of: Mapping[str, Any], statistic: str) -> Series:
        named = {each["Name"]: each["Value"] for each in of.get("Dimensions", ())}
        points = self._datapoints.get(metric(of["Namespace"], of["MetricName"], named), [])

        def value(start: datetime, end: datetime) -> float | None:
            values = [value for at, value in points if start <= at < end]
            return STATISTICS[statistic](values) if values else None

        return value


def _periods(began: datetime, ended: datetime, period: timedelta) -> Iterator[datetime]:
    """Yield the beginnings of the periods that have something of a span in them, as CloudWatch aligns them."""
    start = began - (began - datetime.fromtimestamp(0, UTC)) % period
    while start < ended:
        yield start
        start += period


def _evaluated(expression: str, values: Mapping[str, float | None]) -> float | None:
    """Return a sum or difference of metrics, `FILL(name,0)` among them; without any datapoint there is none."""
    if set(values.values()) == {None}:
        return None
    total: float = 0
    for sign, filled, bare in re.findall(r"([+-]?)(?:FILL\((\w+),0\)|(\w+))", expression):
        value = values[filled or bare]
        if value is None and not filled:
            return None
        total += (-1 if sign == "-" else 1) * (value or 0)
    return total
