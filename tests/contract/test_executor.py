"""The contract of `Executor` on Step Functions, and on events of Lambda."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from mcp_tasks.adapters.direct import DirectExecutor
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor, UnknownMachine
from mcp_tasks.ports.executor import Execution, ExecutorThrottled, ExecutorUnavailable
from tests.cloud import Cloud
from tests.kit import ADA, FixedClock, a_task, tickets

ROLE = "arn:aws:iam::123456789012:role/states"
DEFINITION = json.dumps({"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 9, "End": True}}})


@pytest.fixture
def machines(aws: Cloud) -> Mapping[str, str]:
    return {
        name: aws.states.create_state_machine(name=f"stage-{name}", definition=DEFINITION, roleArn=ROLE)[
            "stateMachineArn"
        ]
        for name in ("run_tool", "remind_me")
    }


@pytest.fixture
def executor(aws: Cloud, machines: Mapping[str, str]) -> StepFunctionsExecutor:
    return StepFunctionsExecutor(client=lambda: aws.states, machines=machines, tickets=tickets())


def executions(aws: Cloud, machine: str) -> list[dict[str, Any]]:
    found = aws.states.list_executions(stateMachineArn=machine)["executions"]
    return [aws.states.describe_execution(executionArn=execution["executionArn"]) for execution in found]


def test_the_execution_is_named_by_the_task_and_carries_where_to_find_it(
    executor: StepFunctionsExecutor, aws: Cloud, machines: Mapping[str, str]
) -> None:
    task = a_task(timeout=timedelta(seconds=90, milliseconds=1))
    executor.start(ADA.owner_key, task, {"name": "Ada"})

    (execution,) = executions(aws, machines["run_tool"])
    assert execution["name"] == task.id
    ticket = tickets().for_start(ADA.owner_key, task.id, until=task.expires_at)
    assert execution["input"] == f'{{"scope":"acme#ada","task":"{task.id}","ticket":"{ticket}","timeout":91}}'


def test_a_machine_of_the_tools_own_gets_the_arguments_too(
    executor: StepFunctionsExecutor, aws: Cloud, machines: Mapping[str, str]
) -> None:
    task = a_task(machine="remind_me")
    executor.start(ADA.owner_key, task, {"b": "ü", "a": [1, 2.5, None]})

    (execution,) = executions(aws, machines["remind_me"])
    assert json.loads(execution["input"]) == {
        "scope": ADA.owner_key,
        "task": task.id,
        "timeout": 300,
        "ticket": tickets().for_start(ADA.owner_key, task.id, until=task.expires_at),
        "arguments": {"a": [1, 2.5, None], "b": "ü"},
    }


@pytest.mark.parametrize("machine", ["run_tool", "remind_me"])
def test_to_start_again_is_harmless_while_the_work_runs_and_afterwards(
    executor: StepFunctionsExecutor, aws: Cloud, machines: Mapping[str, str], machine: str
) -> None:
    task = a_task(machine=machine)
    executor.start(ADA.owner_key, task, {"a": 1, "b": 2})
    executor.start(ADA.owner_key, task, {"b": 2, "a": 1})
    executor.stop(task, "cancelled")
    executor.start(ADA.owner_key, task, {"a": 1, "b": 2})

    assert [execution["status"] for execution in executions(aws, machines[machine])] == ["ABORTED"]


def test_the_input_is_the_same_to_the_byte_whatever_the_order_of_the_arguments(
    aws: Cloud, machines: Mapping[str, str]
) -> None:
    inputs = Recorder()
    executor = StepFunctionsExecutor(client=lambda: inputs, machines=machines, tickets=tickets())
    task = a_task(machine="remind_me")
    executor.start(ADA.owner_key, task, {"b": {"y": 1, "x": 2}, "a": 1})
    executor.start(ADA.owner_key, task, {"a": 1, "b": {"x": 2, "y": 1}})

    first, second = inputs.requests
    assert first["input"] == second["input"]


def test_it_is_known_whether_the_work_runs(executor: StepFunctionsExecutor) -> None:
    task = a_task()

    assert executor.describe(task) is Execution.ABSENT

    executor.start(ADA.owner_key, task, {})

    assert executor.describe(task) is Execution.RUNNING

    executor.stop(task, "cancelled")

    assert executor.describe(task) is Execution.ENDED


def test_what_runs_is_listed_page_by_page_for_every_state_machine(aws: Cloud, machines: Mapping[str, str]) -> None:
    executor = StepFunctionsExecutor(client=lambda: aws.states, machines=machines, tickets=tickets(), page_size=2)
    tasks = [a_task(machine=machine) for machine in ("run_tool", "run_tool", "run_tool", "run_tool", "remind_me")]
    for task in tasks:
        executor.start(ADA.owner_key, task, {})
    executor.stop(tasks[0], "cancelled")

    pages = [list(page) for page in executor.running()]
    assert sorted(map(len, pages)) == [1, 1, 2]
    assert {task_id for page in pages for task_id in page} == {task.id for task in tasks[1:]}


def test_a_throttled_request_is_told_from_one_that_is_refused_for_its_task() -> None:
    for code, throttled in [("ThrottlingException", True), ("AccessDeniedException", False)]:
        error = ClientError({"Error": {"Code": code, "Message": ""}}, "any")
        executor = StepFunctionsExecutor(
            client=partial(Recorder, error), machines={"run_tool": "arn:stateMachine:x"}, tickets=tickets()
        )
        with pytest.raises(ExecutorUnavailable) as raised:
            executor.describe(a_task())
        assert isinstance(raised.value, ExecutorThrottled) is throttled
        with pytest.raises(ExecutorUnavailable):
            list(executor.running())


def test_to_stop_is_harmless_when_there_is_nothing_to_stop(executor: StepFunctionsExecutor) -> None:
    task = a_task()
    executor.stop(task, "cancelled")
    executor.start(ADA.owner_key, task, {})
    executor.stop(task, "cancelled")
    executor.stop(task, "x" * 100_000)

    assert executor.describe(task) is Execution.ENDED


@pytest.mark.parametrize("code", ["ExecutionDoesNotExist", "ValidationException"])
def test_to_stop_is_harmless_however_aws_says_that_there_is_nothing_to_stop(code: str) -> None:
    client = Recorder(ClientError({"Error": {"Code": code, "Message": "Execution is not running"}}, "StopExecution"))
    executor = StepFunctionsExecutor(
        client=lambda: client, machines={"run_tool": "arn:stateMachine:x"}, tickets=tickets()
    )

    executor.stop(a_task(), "cancelled")

    assert len(client.requests) == 1


def test_a_machine_that_nobody_deployed_is_a_loud_error(executor: StepFunctionsExecutor) -> None:
    with pytest.raises(UnknownMachine, match="'nightly_report'"):
        executor.start(ADA.owner_key, a_task(machine="nightly_report"), {})


def test_work_on_a_machine_that_is_not_deployed_any_more_has_ended(executor: StepFunctionsExecutor) -> None:
    task = a_task(machine="nightly_report")
    executor.stop(task, "cancelled")

    assert executor.describe(task) is Execution.ENDED


@pytest.mark.parametrize("tokens", [["a"], ["a", "b", "c"]])
def test_work_goes_on_with_every_token_that_it_may_be_suspended_with(tokens: list[str]) -> None:
    calls = Recorder()
    executor = StepFunctionsExecutor(client=lambda: calls, machines={}, tickets=tickets())
    *earlier, last = tokens

    executor.resume(a_task(task_token=last, earlier_tokens=tuple(earlier)))

    assert calls.requests == [{"taskToken": token, "output": "{}"} for token in tokens]


@pytest.mark.parametrize("code", ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"])
def test_a_token_that_is_of_no_use_any_more_keeps_no_other_from_its_turn(code: str) -> None:
    calls = Recorder(ClientError({"Error": {"Code": code, "Message": ""}}, "SendTaskSuccess"))
    executor = StepFunctionsExecutor(client=lambda: calls, machines={}, tickets=tickets())

    executor.resume(a_task(task_token="b", earlier_tokens=("a",)))

    assert [request["taskToken"] for request in calls.requests] == ["a", "b"]


def test_work_that_never_suspended_cannot_go_on() -> None:
    calls = Recorder()

    StepFunctionsExecutor(client=lambda: calls, machines={}, tickets=tickets()).resume(a_task())

    assert calls.requests == []


@pytest.mark.parametrize(
    "error",
    [
        ClientError({"Error": {"Code": "ThrottlingException", "Message": ""}}, "any"),
        ClientError({"Error": {"Code": "ExecutionLimitExceeded", "Message": ""}}, "any"),
        ClientError({"Error": {"Code": "AccessDeniedException", "Message": ""}}, "any"),
        ClientError({"Error": {"Code": "InternalServerError", "Message": ""}}, "any"),
        EndpointConnectionError(endpoint_url="https://states"),
        ReadTimeoutError(endpoint_url="https://states"),
    ],
)
def test_an_outage_is_reported_as_such(error: Exception) -> None:
    executor = StepFunctionsExecutor(
        client=lambda: Recorder(error), machines={"run_tool": "arn:stateMachine:x"}, tickets=tickets()
    )
    with pytest.raises(ExecutorUnavailable) as raised:
        direct(Recorder(error)).start(ADA.owner_key, a_task(machine="direct"), {})
    assert raised.value.__cause__ is error

    for act in (
        lambda: executor.start(ADA.owner_key, a_task(), {}),
        lambda: executor.stop(a_task(), "cancelled"),
        lambda: executor.describe(a_task()),
        lambda: executor.resume(a_task(task_token="token")),
    ):
        with pytest.raises(ExecutorUnavailable) as raised:
            act()
        assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        ClientError({"Error": {"Code": "InvalidExecutionInput", "Message": ""}}, "any"),
        ClientError({"Error": {"Code": "ValidationException", "Message": ""}}, "any"),
        ClientError({"Error": {"Code": "SerializationException", "Message": ""}}, "any"),
    ],
)
def test_our_own_mistakes_are_not_taken_for_an_outage(error: Exception) -> None:
    executor = StepFunctionsExecutor(
        client=lambda: Recorder(error), machines={"run_tool": "arn:stateMachine:x"}, tickets=tickets()
    )

    acts: list[Callable[[], object]] = [
        lambda: direct(Recorder(error)).start(ADA.owner_key, a_task(machine="direct"), {}),
        lambda: executor.start(ADA.owner_key, a_task(), {}),
        lambda: executor.resume(a_task(task_token="token")),
    ]

    for act in acts:
        with pytest.raises(type(error)) as raised:
            act()
        assert raised.value is error


def direct(client: "Recorder") -> DirectExecutor:
    return DirectExecutor(client=lambda: client, function="run_tool", tickets=tickets(), clock=FixedClock())


class Recorder:
    """A client of AWS that records its calls, and raises an error if it has one."""

    def __init__(self, error: Exception | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self._error = error

    def start_execution(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return {}

    invoke = stop_execution = describe_execution = list_executions = send_task_success = start_execution
