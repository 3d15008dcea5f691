"""Which alarms a stage would have had: those of a stage for AWS, by what the functions of this one logged."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from local.stack import Stack
from mcp_tasks.testing.state_machines.template import Template
from tests.alarms.cloudwatch import CloudWatch
from tests.infra.assembly import UNBUNDLED, synthesise

EXPECTED: Final[Mapping[str, str]] = {
    "RunsFail": "processes that run tools are killed",
    "EndpointFails": "so are those of the endpoint",
    "InternalErrors": "DynamoDB does not answer while all is paused",
    "AnswersAreSlow": "nobody is answered while all is paused",
    "ExecutionsDoNotStart": "Step Functions does not answer while all is paused",
    "TasksQueueTooLong": "more is asked for than may run",
    "SweepRepairs": "the stream is off for some seconds",
    "RunsAreInterrupted": "the table is away for longer than a run waits for it",
    "AuditIsUnproven": "the key of audit records cannot be read while the table is away",
}
"""The alarms that may go off, and why; any other that does is wrong."""

QUIET: Final = timedelta(hours=3)
INVOKED: Final = "START RequestId"
PAGE: Final = 10_000
"""Most events that CloudWatch Logs returns at once."""

SCHEDULED: Final = {"sweep": timedelta(minutes=5), "anchor_audit": timedelta(hours=1)}


def went_off(stack: Stack, began: datetime, folder: Path, errors_at: Sequence[datetime]) -> set[str]:
    """Return the alarms that went off.

    The emulator counts no answers of the gateway: `errors_at` is when there were such of 5xx.  Nor does it count
    throttled invocations, the age of records, dead letters and throttled writes, so that their alarms cannot go off.
    """
    cloudwatch = CloudWatch(template=Template.of_assembly(synthesise(folder, UNBUNDLED).folder))
    ended = datetime.now(UTC)
    # As if nothing more was asked for: what alarms look at is longer than some runs.
    cloudwatch.scheduled(ended, ended + QUIET, SCHEDULED)
    for name, line, at in _lines(stack, began):
        function = cloudwatch.function(name)
        if line.startswith(INVOKED):
            cloudwatch.invoked(function, at)
        else:
            cloudwatch.log(function, line, at)
    ((_, api),) = cloudwatch.template.of_type("AWS::ApiGateway::RestApi")
    for at in errors_at:
        cloudwatch.put(at, "AWS/ApiGateway", "5XXError", {"ApiName": api["Name"]})
    return cloudwatch.went_off(began, ended + QUIET)


def _lines(stack: Stack, began: datetime) -> Iterator[tuple[str, str, datetime]]:
    """Yield what each function logged: the name of its folder, a line, and when."""
    logs = stack.client("logs")
    for function in stack.client("lambda").list_functions()["Functions"]:
        handler: Any = function["Handler"].split(".")
        group = function["LoggingConfig"]["LogGroup"]
        for event in events(logs, group, _milliseconds(began), _milliseconds(datetime.now(UTC))):
            yield handler[1], event["message"], datetime.fromtimestamp(event["timestamp"] / 1000, UTC)


def events(logs: Any, group: str, first: int, last: int) -> Iterator[Mapping[str, Any]]:
    """Yield the events of a group between two moments, both included, by parts so short that none has too many.

    The emulator has no next page: of more than that it returns the first ones.
    """
    found = logs.filter_log_events(logGroupName=group, startTime=first, endTime=last, limit=PAGE)["events"]
    if len(found) < PAGE:
        yield from found
        return
    assert first < last, f"{group} has more than {PAGE:,} lines of one millisecond"
    middle = (first + last) // 2
    yield from events(logs, group, first, middle)
    yield from events(logs, group, middle + 1, last)


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)
