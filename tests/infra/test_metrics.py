"""The metrics of a stage's log records: which there are, and that none tells whose request or task it was."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from infra.function_code import functions_of_revisions
from tests.filter_pattern import Published, fields_of, published
from tests.infra.assembly import Assembly, flat

FILTER = "AWS::Logs::MetricFilter"
ANSWERED = {"message": "answered", "method": "tools/list", "plan": "default", "tenant": "acme", "status": 200, "ms": 7}
CALL = {**ANSWERED, "method": "tools/call", "tool": "greet", "outcome": "started", "task": "t1"}
OF_WHOM = ("tenant", "subject", "task", "owner_key", "client", "session", "requestId")


def filters(assembly: Assembly, function: str) -> list[dict[str, Any]]:
    """Return the metric filters of the log of a function, by the name it is built under."""
    group = f"<Functions{function.replace('_', '')}Logs>"
    return [each for each in assembly.of(FILTER).values() if flat(each["LogGroupName"]) == group]


def counted(assembly: Assembly, function: str, record: Mapping[str, Any]) -> list[Published]:
    """Return what is published of a record of a function."""
    line = json.dumps(record)
    return [found for each in filters(assembly, function) if (found := published(each, line))]


def named(assembly: Assembly, function: str, record: Mapping[str, Any]) -> set[tuple[str, float, tuple[str, ...]]]:
    """Return name, value and the values of the dimensions of each."""
    found = counted(assembly, function, record)
    return {(each.name, each.value, tuple(each.dimensions.values())) for each in found}


def dimensions(assembly: Assembly) -> set[tuple[str, str]]:
    """Return each dimension of each metric, with the field it is taken from."""
    made = [transformation for each in assembly.of(FILTER).values() for transformation in each["MetricTransformations"]]
    return {(each["Key"], each["Value"]) for one in made for each in one.get("Dimensions", ())}


@pytest.mark.parametrize("function", ["serve_mcp", *sorted({"await_task"} & functions_of_revisions())])
def test_a_request_is_measured_by_method_tool_and_plan(cloud: Assembly, function: str) -> None:
    assert named(cloud, function, CALL) == {
        ("mcp.server.operation.duration", 7, ("tools/call",)),
        ("mcp.server.operation.duration", 7, ("tools/call", "greet")),
        ("mcp.server.operation.duration", 7, ("default",)),
        ("calls", 1, ("greet", "started")),
        ("calls", 1, ("default", "started")),
        ("own_time", 7, ()),
    }


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"error": -32602}, {("errors", 1, ("-32602",)), ("errors", 1, ("default", "-32602"))}),
        ({"error": 4001}, {("errors", 1, ("4001",)), ("errors", 1, ("default", "4001"))}),
        (
            {"error": -31050, "reason": "requests_per_second"},
            {
                *(("errors", 1, by) for by in (("-31050",), ("default", "-31050"))),
                ("refusals", 1, ("requests_per_second", "default")),
            },
        ),
        ({"woken_by": "stream", "waited_ms": 5}, {("woken_by", 1, ("stream",)), ("waited", 5, ("stream",))}),
        (
            {"woken_by": "poll", "waited_ms": 5, "woken_ms": 3},
            {("woken_by", 1, ("poll",)), ("waited", 5, ("poll",)), ("woken_after", 3, ("poll",))},
        ),
        ({"code_ms": 5}, set()),
    ],
)
def test_what_became_of_it_is_counted(cloud: Assembly, more: Mapping[str, Any], expected: set[Any]) -> None:
    before, after = (named(cloud, "serve_mcp", record) for record in (ANSWERED, {**ANSWERED, **more}))

    assert after - before == expected
    # The server's own time is that of requests that neither waited nor ran an adopter's code.
    assert ("own_time" in {name for name, *_ in before - after}) == bool({"waited_ms", "code_ms"} & more.keys())


@pytest.mark.parametrize(
    ("record", "is_fault"),
    [
        ({"level": "ERROR", "message": "a request failed"}, True),
        ({"level": "ERROR", "message": "a message of a batch failed"}, True),
        ({"level": "ERROR", "message": "a request was given up"}, True),
        ({"level": "ERROR", "message": "no connection", "errorType": "OSError", "fallback": "left_to_stream"}, False),
        ({"level": "ERROR", "message": "a request is refused: damaged", "fallback": "unreadable_item"}, False),
        (ANSWERED, False),
    ],
)
def test_internal_errors_are_counted(cloud: Assembly, record: Mapping[str, Any], is_fault: bool) -> None:
    names = [each.name for each in counted(cloud, "serve_mcp", record)]

    assert ("internal_errors" in names) is is_fault


def test_the_authorizer_says_whom_it_refuses_and_why_in_words_of_its_own(cloud: Assembly) -> None:
    refused = {"message": "refused", "reason": "expired", "level": "WARNING"}
    keys = {"message": "keys not fetched", "reason": "https://a.example/ is away", "failures": 1}

    assert named(cloud, "authorize", refused) == {("refusals", 1, ("expired",))}
    assert named(cloud, "authorize", keys) == {("keys_not_fetched", 1, ())}


EVENT = {"tenant": "acme", "subject": "ada", "tool": "greet", "task": "t1", "version": 3, "chain": "c", "n": 9}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"event": "task.created"}, set()),
        (
            {"event": "task.started", "queued_ms": 7, "again": False},
            {("task_queued", 7, ("greet",)), ("task_queued", 7, ())},
        ),
        ({"event": "task.asked", "running_ms": 7}, {("task_running", 7, ("greet",))}),
        ({"event": "task.answered", "suspended_ms": 7}, {("task_suspended", 7, ("greet",))}),
        (
            {"event": "task.finished", "outcome": "returned", "running_ms": 7, "duration_ms": 9},
            {("tasks", 1, ("greet", "returned")), ("task_running", 7, ("greet",)), ("task_duration", 9, ("greet",))},
        ),
        ({"event": "task.cancelled", "duration_ms": 9}, {("task_duration", 9, ("greet",))}),
        (
            {"event": "task.finished", "plan": "gold", "outcome": "failed", "queued_ms": 7, "duration_ms": 9},
            {
                *(("tasks", 1, (by, "failed")) for by in ("greet", "gold")),
                *(("task_queued", 7, by) for by in (("greet",), ("gold",), ())),
                *(("task_duration", 9, (by,)) for by in ("greet", "gold")),
            },
        ),
    ],
)
def test_tasks_are_counted_by_outcome_and_measured_by_phase(
    cloud: Assembly, event: Mapping[str, Any], expected: set[Any]
) -> None:
    assert named(cloud, "on_task_change", {**EVENT, **event}) == {("task_events", 1, (event["event"],)), *expected}


def test_a_task_that_nobody_can_read_any_more_has_ended_too(cloud: Assembly) -> None:
    expired = {"event": "task.expired", "tenant": "acme", "subject": "ada", "task": "t1"}

    assert named(cloud, "on_task_change", expired) == {("task_events", 1, ("task.expired",))}


def test_an_audit_record_of_a_request_is_not_counted_beside_that_of_the_request(cloud: Assembly) -> None:
    audited = {
        "event": "request.refused",
        "reason": "scopes",
        "method": "tools/call",
        "tool": "greet",
        "tenant": "acme",
    }

    assert named(cloud, "serve_mcp", audited) == set()


def test_sweeps_are_counted_with_what_they_found(cloud: Assembly) -> None:
    assert named(cloud, "sweep", {"message": "swept", "reconciled": 0}) == {("reconciled", 0, ())}


def test_audit_records_that_are_not_what_was_written_are_counted(cloud: Assembly) -> None:
    broken = {"level": "ERROR", "message": "audit_broken", "chain": "c", "first": 2, "last": 2}

    assert named(cloud, "anchor_audit", broken) == {("audit_broken", 1, ())}


def test_audit_records_that_nobody_can_prove_are_counted_apart(cloud: Assembly) -> None:
    unproven = {"level": "WARNING", "message": "audit_unproven", "count": 1, "chains": ["0" * 16]}

    assert named(cloud, "anchor_audit", unproven) == {("audit_unproven", 1, ())}


def test_no_metric_tells_whose_it_is(cloud: Assembly) -> None:
    found = dimensions(cloud)

    of_requests = {"$.method", "$.tool", "$.plan", "$.outcome", "$.error", "$.reason", "$.woken_by"}
    assert {field for _, field in found} == {*of_requests, "$.event", "$.fallback"}
    assert not {field for _, field in found} & {f"$.{name}" for name in OF_WHOM}
    assert not {name.rpartition(".")[2] for name, _ in found} & {*OF_WHOM}


def test_what_a_metric_takes_from_a_record_its_pattern_looks_for(cloud: Assembly) -> None:
    """AWS does not say what it publishes of an event that lacks the field of a dimension."""
    for name, each in cloud.of(FILTER).items():
        (made,) = each["MetricTransformations"]
        taken = {dimension["Value"] for dimension in made.get("Dimensions", ())}
        taken |= {made["MetricValue"]} - {"1"}

        assert taken <= fields_of(each["FilterPattern"]), name
        assert len(made.get("Dimensions", ())) <= 3, name


def test_no_log_has_more_filters_than_aws_allows(cloud: Assembly) -> None:
    groups = Counter(flat(each["LogGroupName"]) for each in cloud.of(FILTER).values())

    assert max(groups.values()) <= 100
