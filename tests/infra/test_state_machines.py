"""The state machines: are they valid, and does whatever becomes of one reach the task?"""

import json
import subprocess
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.limits.waits import KEYS_FRESH
from tests.checkout import ROOT
from tests.cost.outages import retries_within
from tests.cost.prices import TRANSITION
from tests.infra.assembly import NODE_MODULES, Assembly, flat

VALIDATOR = NODE_MODULES / "asl-validator" / "dist" / "bin" / "asl-validator.js"
NAMES = ("run_tool", "remind_me")
PASSING = [
    "Lambda.TooManyRequestsException",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
    "RunInterrupted",
    "Unavailable",
    "ExecutorUnavailable",
    "ExecutorThrottled",
]
TASK = {
    "scope": "{% $states.context.Execution.Input.scope %}",
    "task": "{% $states.context.Execution.Input.task %}",
}


def definition(assembly: Assembly, name: str) -> dict[str, Any]:
    """Return a machine's definition, as AWS would get it."""
    (machine,) = [
        machine
        for machine in assembly.of("AWS::StepFunctions::StateMachine").values()
        if machine["StateMachineName"] == f"McpTaskExamples-dev-{name}"
    ]
    text = flat(machine["DefinitionString"]).replace("<AWS::Partition>", "aws")
    content: dict[str, Any] = json.loads(text)
    return content


def validate(definition: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Validate the definition with asl-validator."""
    assert VALIDATOR.exists(), "no asl-validator: `make synth` installs it"
    command = ["node", str(VALIDATOR), "--json-definition", json.dumps(definition)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_is_valid(cloud: Assembly, name: str) -> None:
    result = validate(definition(cloud, name))

    assert result.returncode == 0, result.stdout + result.stderr


def test_the_validator_would_notice_a_state_that_leads_nowhere(cloud: Assembly) -> None:
    broken = definition(cloud, "run_tool")
    broken["States"]["Run"]["Catch"][0]["Next"] = "Nowhere"

    assert validate(broken).returncode == 1


def test_the_default_machine_runs_the_tool_and_records_what_it_cannot(cloud: Assembly) -> None:
    machine = definition(cloud, "run_tool")

    states = {"Run", "RunWithoutTicket", "InputNeeded?", "Suspend", "Finished", "RecordFailure"}
    assert set(machine["States"]) == states
    assert machine["StartAt"] == "Run"
    for name in ("Run", "RunWithoutTicket"):
        assert machine["States"][name]["Catch"][-1] == {"ErrorEquals": ["States.ALL"], "Next": "RecordFailure"}
    assert machine["States"]["Suspend"]["Catch"][1:] == [{"ErrorEquals": ["States.ALL"], "Next": "RecordFailure"}]


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_that_asked_is_suspended_and_runs_again_for_the_answer_or_when_none_came_in_time(
    cloud: Assembly, name: str
) -> None:
    of = states(definition(cloud, name))

    assert of["Run"]["End"] is True
    suspended, unticketed = of["Run"]["Catch"][:2]
    assert suspended == {
        "ErrorEquals": ["TaskSuspended"],
        "Output": "{% $parse($parse($states.errorOutput.Cause).errorMessage) %}",
        "Next": "Suspend",
    }
    assert unticketed == {"ErrorEquals": ["States.QueryEvaluationError", "TicketRevoked"], "Next": "RunWithoutTicket"}
    assert of["RunWithoutTicket"]["Next"] == "InputNeeded?"
    revoked = of["RunWithoutTicket"]["Retry"][-1]
    assert revoked["ErrorEquals"] == ["TicketRevoked"]
    assert sum(2**attempt for attempt in range(revoked["MaxAttempts"])) > KEYS_FRESH.total_seconds()
    assert of["InputNeeded?"]["Choices"] == [{"Condition": "{% $states.input.asked %}", "Next": "Suspend"}]
    assert of["InputNeeded?"]["Default"] == "Finished"
    assert of["Finished"]["End"] is True
    assert of["Suspend"]["Next"] == "Run"
    assert of["Suspend"]["Catch"][0] == {"ErrorEquals": ["States.Timeout"], "Next": "Run"}


@pytest.mark.parametrize("name", NAMES)
def test_no_state_retries_a_run_that_suspended_its_task_or_takes_it_for_a_failure(cloud: Assembly, name: str) -> None:
    run = states(definition(cloud, name))["Run"]

    # These two match any error's name.
    matching = {"TaskSuspended", "States.TaskFailed", "States.ALL"}
    assert [retry for retry in run["Retry"] if matching & set(retry["ErrorEquals"])] == []
    first = next(catch for catch in run["Catch"] if matching & set(catch["ErrorEquals"]))
    assert first["Next"] == "Suspend"


@pytest.mark.parametrize("name", NAMES)
def test_a_suspended_tool_waits_for_its_token_as_long_as_the_run_before_said(cloud: Assembly, name: str) -> None:
    suspend = states(definition(cloud, name))["Suspend"]
    _, retry = suspend["Retry"]

    assert suspend["Resource"].endswith(":states:::lambda:invoke.waitForTaskToken")
    assert suspend["Arguments"] == {
        "FunctionName": "<FunctionsparktaskLive>",
        "Payload": {**TASK, "token": "{% $states.context.Task.Token %}"},
    }
    # Less what has passed since the state was entered, where it is retried.
    passed = "$floor(($millis() - $toMillis($states.context.State.EnteredTime)) / 1000)"
    assert suspend["TimeoutSeconds"] == f"{{% $max([1, $states.input.seconds - {passed}]) %}}"
    # Every error but States.Timeout, which is no trouble.
    assert retry["ErrorEquals"] == ["States.TaskFailed"]
    assert retry["MaxAttempts"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_an_execution_may_be_suspended_for_as_long_as_its_task_is_kept(cloud: Assembly, name: str) -> None:
    variables = cloud.of("AWS::Lambda::Function")["Functionsservemcp"]["Environment"]["Variables"]

    assert definition(cloud, name)["TimeoutSeconds"] > int(variables["MAX_TTL_SECONDS"])


@pytest.mark.parametrize("name", NAMES)
def test_the_tool_runs_as_long_as_its_task_allows_and_again_on_lambdas_own_trouble(cloud: Assembly, name: str) -> None:
    run = states(definition(cloud, name))["Run"]
    _, retry = run["Retry"]

    assert run["TimeoutSeconds"] == "{% $states.context.Execution.Input.timeout %}"
    assert run["Arguments"]["Payload"] == {
        "ticket": "{% $states.context.Execution.Input.ticket %}",
        "task": TASK["task"],
        "attempt": "{% $states.context.State.RetryCount + 1 %}",
        "broken": "error",
        "suspension": "error",
    }
    assert retry["ErrorEquals"] == ["RunBroken", "Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory"]
    assert retry["MaxAttempts"] == 4


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_retried_for_hours_while_aws_fails_and_its_history_does_not_end(cloud: Assembly, name: str) -> None:
    for state in states(definition(cloud, name)).values():
        if state["Type"] == "Task":
            retry = state["Retry"][0]

            assert retry["ErrorEquals"] == PASSING
            assert (retry["MaxDelaySeconds"], retry["JitterStrategy"]) == (30, "FULL")
            # With full jitter the waits are half as long as they may be.
            assert retry["MaxAttempts"] * retry["MaxDelaySeconds"] / 2 > 4 * 60 * 60
            # Of each state that is tried as often as it may be, of at most five at a time.
            assert retry["MaxAttempts"] * 5 <= 25_000 / 5


def test_an_hour_of_an_outage_costs_what_the_page_says(cloud: Assembly) -> None:
    retry = states(definition(cloud, "run_tool"))["Run"]["Retry"][0]

    assert retries_within(timedelta(hours=1), retry) == 243
    page = (ROOT / "docs/limits.md").read_text()
    assert "243 times in an hour" in page
    assert f"243,000 transitions, ${243_000 * TRANSITION.dollars / TRANSITION.per:.2f}" in page


def test_a_machine_of_ones_own_is_wrapped(cloud: Assembly) -> None:
    machine = definition(cloud, "remind_me")
    work = machine["States"]["Work"]

    assert set(machine["States"]) == {"Work", "RecordReturn", "RecordFailure"}
    assert machine["StartAt"] == "Work"
    assert work["Type"] == "Parallel"
    assert work["Next"] == "RecordReturn"
    assert work["Catch"] == [{"ErrorEquals": ["States.ALL"], "Next": "RecordFailure"}]
    assert machine["States"]["RecordReturn"]["Arguments"]["Payload"] == {**TASK, "output": "{% $states.input %}"}


@pytest.mark.parametrize("name", NAMES)
def test_a_failure_is_recorded_with_its_cause_and_recording_is_tried_again(cloud: Assembly, name: str) -> None:
    record = definition(cloud, name)["States"]["RecordFailure"]

    assert record["Arguments"]["Payload"] == {
        **TASK,
        "error": "{% $states.input.Error %}",
        "cause": "{% $exists($states.input.Cause) ? $states.input.Cause : '' %}",
    }
    assert [retry["ErrorEquals"] for retry in record["Retry"]] == [
        PASSING,
        ["States.ALL"],
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_execution_runs_for_ever(cloud: Assembly, name: str) -> None:
    assert 0 < definition(cloud, name)["TimeoutSeconds"] <= 8 * 86400


def test_machines_are_traced_and_logged_without_what_they_carry(cloud: Assembly) -> None:
    for machine in cloud.of("AWS::StepFunctions::StateMachine").values():
        assert machine["TracingConfiguration"] == {"Enabled": True}
        assert machine["LoggingConfiguration"]["Level"] == "ERROR"
        assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False


def states(machine: dict[str, Any]) -> dict[str, Any]:
    """Return all states of a machine, those of its branches too."""
    found = dict(machine["States"])
    for state in machine["States"].values():
        for branch in state.get("Branches", []):
            found |= states(branch)
    return found
