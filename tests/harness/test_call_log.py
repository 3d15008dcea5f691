"""What the deployed functions log: one record for each request, with nothing of a client's in it, and its size."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.client import Client
from tests.filter_pattern import matches
from tests.harness.logs import Lines, kept
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA


@pytest.fixture
def logged(tasks: DeployedTasks) -> Iterator[Lines]:
    lines = Lines()
    with kept(lines):
        yield lines


def connected(tasks: DeployedTasks, logged: Lines) -> Client:
    """Return a client that has a session, if its revision has any, and forget what was logged of that."""
    client = tasks.client()
    client.request("tools/list", {})
    logged.lines.clear()
    return client


def test_a_request_is_one_record_that_says_what_became_of_it(tasks: DeployedTasks, logged: Lines) -> None:
    client = connected(tasks, logged)
    task = client.start_task("frail", {"deaths": 0})
    (started,) = logged.calls

    assert {**started, "ms": 0} == {
        "method": "tools/call",
        "tool": "frail",
        "tenant": ADA.tenant,
        "revision": tasks.revision,
        "plan": "default",
        "outcome": "started",
        "task": task.id,
        "status": 200,
        "ms": 0,
    }
    # Nothing else was logged in the functions that answer clients.
    assert [each["message"] for each in logged.records if "service" not in each] == ["answered"]


@pytest.mark.parametrize(
    ("tool", "noted", "unknown"),
    [
        ("frail", {"tool": "frail", "outcome": "returned_error", "woken_by": "poll"}, set()),
        ("secret", {"error": -32602}, {"tool", "outcome", "woken_by"}),
    ],
)
def test_what_is_wrong_is_said_by_code_and_not_in_words(
    tasks: DeployedTasks, logged: Lines, tool: str, noted: dict[str, Any], unknown: set[str]
) -> None:
    client = tasks.connect(ADA, tasks=False)
    with suppress(McpError):
        client.call_tool(tool, {"secret": "a secret"})
    (call,) = (each for each in logged.calls if each["method"] == "tools/call")

    assert noted.items() <= call.items()
    assert not unknown & call.keys()
    assert "secret" not in json.dumps(logged.records)


@pytest.mark.parametrize("method", ["Bearer.c2VjcmV0", "secret/token"])
def test_a_method_that_the_revision_does_not_have_is_not_repeated(
    tasks: DeployedTasks, logged: Lines, method: str
) -> None:
    client = connected(tasks, logged)
    with pytest.raises(McpError):
        client.request(method, {})

    assert [(each["method"], each["error"]) for each in logged.calls] == [("unknown", -32601)]


def test_no_record_has_what_a_client_says_or_who_it_is_for(tasks: DeployedTasks, logged: Lines) -> None:
    assert tasks.run("frail", deaths=0, error="not for the log").text == "attempt 1"

    assert logged.calls
    assert "not for the log" not in "".join(logged.lines)
    assert ADA.subject not in [value for call in logged.calls for value in call.values()]


@pytest.mark.parametrize("metric", ["woken_by", "waited", "woken_after"])
def test_what_woke_a_call_and_when_is_told_by_metrics(tasks: DeployedTasks, logged: Lines, metric: str) -> None:
    filters = [each for _, each in tasks.harness.template.of_type("AWS::Logs::MetricFilter")]
    (pattern,) = {each["FilterPattern"] for each in filters if each["MetricTransformations"][0]["MetricName"] == metric}
    tasks.connect(ADA, tasks=False).call_tool("frail", {"deaths": 0})

    assert [json.loads(line)["method"] for line in logged.lines if matches(pattern, line)] == ["tools/call"]


def test_a_task_is_logged_in_this_many_bytes(tasks: DeployedTasks, logged: Lines) -> None:
    client = connected(tasks, logged)
    client.start_task("frail", {"deaths": 0})
    tasks.harness.run_until_idle()
    # The first audit record of a process says in 22 bytes more that it begins a chain.
    logged.lines.clear()
    client.start_task("frail", {"deaths": 0})
    of_request = logged.size
    tasks.harness.run_until_idle()

    # To the nearest hundred: times and numbers have some digits more or less.
    assert (round(of_request, -2), round(logged.size, -2)) == (400, 2900), "\n".join(logged.lines)
