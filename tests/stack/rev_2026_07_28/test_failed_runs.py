"""Lambda counts a run that suspends its task as an error; the metric of failed runs does not."""

import json
from collections.abc import Mapping
from typing import Any

from local.records import records
from local.stack import Stack
from tests.filter_pattern import matches
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.stack.internals import execution, execution_status, function
from tests.timeout import until
from tests.transitions import transitions

RUNS = 100


def failed_runs(stack: Stack) -> int:
    """Return how many log events the filters of the metric match so far."""
    pages = stack.client("logs").get_paginator("describe_metric_filters").paginate()
    filters = [each for page in pages for each in page["metricFilters"]]
    made = [each for each in filters if each["metricTransformations"][0]["metricName"] == "failed_runs"]
    assert len(made) == 2
    return sum(matches(each["filterPattern"], line) for each in made for line in lines(stack, each["logGroupName"]))


def lines(stack: Stack, group: str) -> list[str]:
    pages = stack.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
    return [event["message"] for page in pages for event in page["events"]]


def suspensions(stack: Stack) -> int:
    """Return how many runs Lambda's runtime has logged to have ended in the suspension of their task."""
    return sum(record.get("errorType") == "TaskSuspended" for record in records(stack.client("logs")))


def history_and_input(stack: Stack, task_id: str) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
    """Return the events of a task's execution so far, and what it was started with."""
    states, found = stack.client("stepfunctions"), execution(stack, task_id)
    assert found
    arn = found["executionArn"]
    given = states.describe_execution(executionArn=arn)["input"]
    return states.get_execution_history(executionArn=arn)["events"], json.loads(given)


def error_of_run(stack: Stack, **event: Any) -> str:
    """Invoke `run_tool` as a state does, and return the name of the error that it ends in."""
    payload = json.dumps(event).encode()
    answer = stack.client("lambda").invoke(FunctionName=function(stack, "run_tool"), Payload=payload)
    assert answer["FunctionError"]
    return str(json.loads(answer["Payload"].read())["errorType"])


def test_a_hundred_runs_that_ask_are_no_failure_and_one_that_raises_is(stack: Stack, client_2026: Client) -> None:
    task_id = client_2026.start("await_consent")
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    _, given = history_and_input(stack, task_id)
    failed, suspended = failed_runs(stack), suspensions(stack)

    # Each finds that the question has no answer yet.
    event = {"ticket": given["ticket"], "task": task_id, "attempt": 1, "suspension": "error"}
    assert {error_of_run(stack, **event) for _ in range(RUNS)} == {"TaskSuspended"}
    until(lambda: suspensions(stack) == suspended + RUNS)
    assert failed_runs(stack) == failed

    assert error_of_run(stack, task=task_id) == "KeyError"
    until(lambda: failed_runs(stack) == failed + 1)
    client_2026.result("tasks/cancel", taskId=task_id)


def test_a_task_takes_two_transitions_and_two_more_for_a_question(stack: Stack, client_2026: Client) -> None:
    def taken(task_id: str) -> int:
        until(lambda: execution_status(stack, task_id) == "SUCCEEDED")
        events, _ = history_and_input(stack, task_id)
        return transitions(events)

    quiet, asking = client_2026.start("repeat", text="x"), client_2026.start("await_consent", seconds=1)

    assert (taken(quiet), taken(asking)) == (2, 4)
