"""The events that AWS would deliver to the functions: changes of the table, and status changes of executions."""

import base64
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from mcp_tasks.testing.state_machines.clock import HarnessClock
from mcp_tasks.testing.state_machines.resources import client


class TableChanges:
    """The records of a table's stream, in the shape in which Lambda delivers them."""

    def __init__(self, stream_arn: str) -> None:
        """Start at the stream's beginning."""
        self._arn = stream_arn
        self._streams = client("dynamodbstreams")
        self._start = {"ShardIteratorType": "TRIM_HORIZON"}

    def poll(self) -> list[dict[str, Any]]:
        """Return the records written since the last call.

        By a new iterator: a transaction that fails has moto put the table back as a copy, of which iterators that were
        made before know nothing.
        """
        (shard,) = self._streams.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"]
        made = self._streams.get_shard_iterator(StreamArn=self._arn, ShardId=shard["ShardId"], **self._start)
        records = self._streams.get_records(ShardIterator=made["ShardIterator"])["Records"]
        if records:
            last = records[-1]["dynamodb"]["SequenceNumber"]
            self._start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        return [{**_plain(record), "eventSourceARN": self._arn} for record in records]


class EndedExecutions:
    """EventBridge's "Step Functions Execution Status Change", one for each execution that has ended."""

    def __init__(self, machines: list[str], clock: HarnessClock) -> None:
        """Watch the machines with these ARNs, whose executions are on that clock."""
        self._machines = machines
        self._step_functions = client("stepfunctions")
        self._delivered: set[str] = set()
        self._clock = clock
        self._left = 0

    def poll(self) -> Iterator[dict[str, Any]]:
        """Yield an event for each execution that has ended since the last call."""
        # An execution is a thread, so none has ended where none has left.
        if self._left == self._clock.left:
            return
        self._left = self._clock.left
        for listed in self.all():
            if listed["status"] == "RUNNING" or listed["executionArn"] in self._delivered:
                continue
            self._delivered.add(listed["executionArn"])
            yield _status_change(self._step_functions.describe_execution(executionArn=listed["executionArn"]))

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield all executions, as listed."""
        for machine in self._machines:
            pages = self._step_functions.get_paginator("list_executions").paginate(stateMachineArn=machine)
            for page in pages:
                yield from page["executions"]


def matches(pattern: Any, value: Any) -> bool:
    """Return whether an event matches a pattern of EventBridge or of a Lambda filter (values and prefixes only)."""
    match pattern:
        case Mapping():
            return isinstance(value, Mapping) and all(matches(each, value.get(key)) for key, each in pattern.items())
        case list():
            return any(_fits(each, value) for each in pattern)
        case _:
            raise NotImplementedError(f"the harness does not know the pattern {pattern}")


def _fits(rule: Any, value: Any) -> bool:
    match rule:
        case str() | int() | None:
            return bool(rule == value)
        case {"prefix": str(prefix)}:
            return isinstance(value, str) and value.startswith(prefix)
        case {"exists": bool(wanted)}:
            return (value is not None) is wanted
        case _:
            raise NotImplementedError(f"the harness does not know the rule {rule}")


def _status_change(execution: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("executionArn", "stateMachineArn", "name", "status", "input", "output", "error", "cause")
    dates = {key: int(execution[key].timestamp() * 1000) for key in ("startDate", "stopDate") if execution.get(key)}
    return {
        "version": "0",
        "source": "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        "resources": [execution["executionArn"]],
        "detail": {**{key: execution.get(key) for key in fields}, **dates},
    }


def _plain(value: Any) -> Any:
    """Write what boto3 has parsed as Lambda's JSON has it."""
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return value.timestamp()
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list() | set():
            return [_plain(each) for each in value]
        case _:
            return value
