"""Delivery of events to the functions by the template's mappings, rules and retries: stream, EventBridge, schedule."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from json import loads
from typing import Any

from mcp_tasks.testing.state_machines.lambdas import Lambdas, function_name
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.events import EndedExecutions, TableChanges, matches
from tests.harness.table import HarnessTable

SWEEP = "functions.sweep.handler.handler"
STREAM, LAMBDA = "dynamodbstreams", "lambda"


@dataclass(slots=True, kw_only=True)
class Deliveries:
    """Delivers events to the functions; `lost` are those given up after all retries.

    Retries follow each other at once: the time stands still, and whoever fails a test's event on purpose counts.
    Services in `away` deliver nothing: without the stream no change of the table arrives, without Lambda no event.
    """

    lambdas: Lambdas
    template: Template
    table: HarnessTable
    changes: TableChanges
    execution_outcomes: EndedExecutions
    lost: list[str] = field(default_factory=list)
    away: set[str] = field(default_factory=set)
    _mappings: list[dict[str, Any]] = field(init=False)
    _rules: list[dict[str, Any]] = field(init=False)
    _sweep: dict[str, Any] = field(init=False)
    _seen: datetime = field(init=False)
    _first_check: datetime | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Begin now, with what the template says when its resources are made."""
        self._mappings = [mapping for _, mapping in self.template.ours("AWS::Lambda::EventSourceMapping")]
        self._rules = [rule for _, rule in self.template.ours("AWS::Events::Rule")]
        self._sweep = self._sweep_rule()
        self._seen = self.lambdas.now()

    def deliver(self) -> bool:
        """Deliver the events since the last call to the functions; return whether there were any."""
        has_lambda = LAMBDA not in self.away
        records = self.changes.poll() if self.away.isdisjoint((STREAM, LAMBDA)) else []
        execution_outcomes = list(self.execution_outcomes.poll()) if has_lambda else []
        if records:
            self._first_check = self.table.next_check()
        # A sweep that Lambda had no room for is left to the next one.
        is_due = (moment := self.next_sweep()) is not None and moment <= self.lambdas.now()
        sweeps = [moment] if is_due and has_lambda else []
        self._seen = self.lambdas.now()
        for mapping in self._mappings:
            patterns = [loads(each["Pattern"]) for each in mapping["FilterCriteria"]["Filters"]]
            self._feed(mapping, [record for record in records if any(matches(each, record) for each in patterns)])
        for rule in self._rules:
            for event in execution_outcomes:
                if "EventPattern" in rule and matches(rule["EventPattern"], event):
                    self._send(rule, event)
        for _ in sweeps:
            self._send(self._sweep, {"source": "aws.events", "detail-type": "Scheduled Event"})
        return bool(records or execution_outcomes or sweeps)

    def next_sweep(self) -> datetime | None:
        """Return when the schedule next starts a sweep that has a task to check.

        The others are left out, or a day would be three hundred times the same.
        """
        if self._first_check is None:
            return None
        period = _period(self._sweep["ScheduleExpression"])
        tick = self._seen + period - (self._seen - datetime.fromtimestamp(0, UTC)) % period
        return max(tick, tick - (tick - self._first_check) // period * period)

    def _sweep_rule(self) -> dict[str, Any]:
        handlers = {name: function["Handler"] for name, function in self.template.ours("AWS::Lambda::Function")}
        (rule,) = (
            rule
            for rule in self._rules
            if "ScheduleExpression" in rule
            and any(handlers.get(function_name(target["Arn"])) == SWEEP for target in rule["Targets"])
        )
        return rule

    def _feed(self, mapping: dict[str, Any], batch: list[dict[str, Any]]) -> None:
        """Deliver a batch of records; those from the first failed one on are delivered again."""
        returned = ""
        for _ in range(1 + mapping["MaximumRetryAttempts"]):
            if not batch:
                return
            returned, errored = self.lambdas.invoke(function_name(mapping["FunctionName"]), {"Records": batch})
            if not errored:
                failed = {each["itemIdentifier"] for each in loads(returned)["batchItemFailures"]}
                places = [place for place, record in enumerate(batch) if _number(record) in failed]
                batch = batch[places[0] :] if places else []
        if batch:
            self.lost.append(f"{mapping['FunctionName']} gave up: {returned}")

    def _send(self, rule: dict[str, Any], event: dict[str, Any]) -> None:
        for target in rule["Targets"]:
            function = function_name(target["Arn"])
            for _ in range(1 + target["RetryPolicy"]["MaximumRetryAttempts"]):
                returned, errored = self.lambdas.invoke(function, event)
                if not errored:
                    break
            else:
                self.lost.append(f"{function} gave up: {returned}")


def _number(record: dict[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])


def _period(schedule: str) -> timedelta:
    found = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", schedule)
    if found is None:
        raise NotImplementedError(f"the harness does not know the schedule {schedule}")
    return timedelta(**{f"{found[2]}s": int(found[1])})
