"""What moto gets wrong about Maps, calls to AWS and JSONata, tried with machines of two or three states."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import boto3
import pytest
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branch_worker import BranchWorker

from mcp_tasks.testing.state_machines.moto_services import once_for_each_service
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.harness import Harness
from tests.states import sequence

ROLE = "arn:aws:iam::123456789012:role/anything"
PASS = {"Type": "Pass"}
ITEM = "$states.context.Map.Item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """State machines that a test makes on the harness."""

    harness: Harness

    def create(self, *states: Any) -> str:
        """Create a machine of states that follow each other, or of one definition."""
        (definition,) = states if "States" in states[0] else (sequence(*states),)
        definition = json.dumps({"QueryLanguage": "JSONata", **definition})
        created = client("stepfunctions").create_state_machine(name=f"m{uuid4()}", definition=definition, roleArn=ROLE)
        return str(created["stateMachineArn"])

    def start(self, *states: Any, **given: Any) -> str:
        started = client("stepfunctions").start_execution(stateMachineArn=self.create(*states), input=json.dumps(given))
        self.harness.clock.run_until_idle()
        return str(started["executionArn"])

    def status(self, execution: str) -> str:
        return str(client("stepfunctions").describe_execution(executionArn=execution)["status"])

    def children(self, machine: str) -> list[str]:
        listed = client("stepfunctions").list_executions(stateMachineArn=machine)["executions"]
        return [str(execution["status"]) for execution in listed]

    def output(self, *states: Any, after: timedelta = timedelta(), **given: Any) -> Any:
        """Run a machine of these states, which takes that long, and return its output."""
        execution = self.start(*states, **given)
        self.harness.clock.advance(self.harness.clock.now() + after)
        described = client("stepfunctions").describe_execution(executionArn=execution)
        assert described["status"] == "SUCCEEDED", described
        return json.loads(described["output"])


@pytest.fixture
def made(deployment: Harness) -> Made:
    return Made(harness=deployment)


def each(*states: Any, **fields: Any) -> dict[str, Any]:
    return {"Type": "Map", "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, **sequence(*states)}, **fields}


def each_distributed(*states: Any, **fields: Any) -> dict[str, Any]:
    config = {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    return {"Type": "Map", "ItemProcessor": {"ProcessorConfig": config, **sequence(*states)}, **fields}


def calls(resource: str, output: str = "{% $states.result %}", **arguments: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": f"arn:aws:states:::{resource}", "Arguments": arguments, "Output": output}


def says(expression: str) -> dict[str, Any]:
    return {"Type": "Pass", "Output": f"{{% {expression} %}}"}


AN_HOUR = {"Type": "Wait", "Seconds": 3600}
HOUR = timedelta(hours=1)
SYNC = "states:startExecution.sync:2"


def test_the_items_of_a_map_wait_on_the_clock_at_once(made: Made) -> None:
    assert made.output(each(AN_HOUR, Items="{% [1..20] %}"), after=HOUR) == [*range(1, 21)]


def test_no_more_items_than_allowed_wait_at_once(made: Made) -> None:
    assert made.output(each(AN_HOUR, Items="{% [1..4] %}", MaxConcurrency=2), after=2 * HOUR) == [1, 2, 3, 4]


def test_a_map_is_stopped_while_its_items_wait(made: Made) -> None:
    execution = made.start(each(AN_HOUR, Items="{% [1..20] %}"))
    client("stepfunctions").stop_execution(executionArn=execution)
    made.harness.clock.run_until_idle()

    assert made.status(execution) == "ABORTED"


def test_a_task_in_a_map_knows_its_item(made: Made) -> None:
    queue = client("sqs").create_queue(QueueName="items")["QueueUrl"]
    note = calls("sqs:sendMessage", "{% $states.input %}", QueueUrl=queue, MessageBody=f"{{% $string({ITEM}.Index) %}}")
    assert made.output(each(note, Items=["a"])) == ["a"]

    (message,) = client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert message["Body"] == "0"


@pytest.mark.parametrize("count", [0, 5])
def test_a_distributed_map_lists_all_objects_of_a_prefix(
    made: Made, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "2")
    s3 = client("s3")
    s3.create_bucket(Bucket="items")
    for number in range(count):
        s3.put_object(Bucket="items", Key=f"in/{number}", Body=b"four")
    reader = {"Resource": "arn:aws:states:::s3:listObjectsV2", "Arguments": {"Bucket": "items", "Prefix": "in/"}}
    listed = each_distributed(
        says("$states.input.size"),
        ItemReader=reader,
        MaxConcurrency=2,
        ItemSelector={"size": f"{{% {ITEM}.Value.Size %}}"},
        Output="{% $sum($states.result) %}",
    )

    assert made.output(listed) == 4 * count


def test_a_service_has_one_client() -> None:
    client = once_for_each_service(boto3.client)
    made = client(service_name="sqs", region_name="us-east-1")

    assert client(service_name="sqs", region_name="us-east-1") is made
    assert client(service_name="sns", region_name="us-east-1") is not made


def test_a_branch_is_stopped_before_it_has_begun(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = BranchWorker._thread_routine
    launched, stopped = threading.Event(), threading.Event()

    def begin_late(worker: BranchWorker) -> None:
        launched.set()
        stopped.wait()
        begin(worker)

    monkeypatch.setattr(BranchWorker, "_thread_routine", begin_late)
    machine = made.create({"Type": "Parallel", "Branches": [sequence(AN_HOUR)]})
    execution = client("stepfunctions").start_execution(stateMachineArn=machine)["executionArn"]
    launched.wait()
    client("stepfunctions").stop_execution(executionArn=execution)
    stopped.set()
    made.harness.clock.run_until_idle()

    assert (made.status(execution), made.harness.clock.next_deadline()) == ("ABORTED", None)


def test_an_api_with_small_initials_takes_and_returns_names_as_states_do(made: Made) -> None:
    machine = made.create(says("1"))
    described = calls("aws-sdk:sfn:describeStateMachine", "{% $states.result.Name %}", StateMachineArn=machine)

    assert made.output(described) == machine.rpartition(":")[2]


def test_a_nested_execution_returns_its_output_when_it_ends(made: Made) -> None:
    child = made.create(AN_HOUR, says("$states.input.a + 1"))
    nested = calls(SYNC, "{% $states.result.Output %}", StateMachineArn=child, Input={"a": 1})

    assert made.output(nested, after=HOUR) == 2


def test_a_nested_execution_that_fails_fails_its_parent_as_any_task(made: Made) -> None:
    child = made.create({"Type": "Fail", "Error": "Broken"})
    parent = made.start(calls(SYNC, StateMachineArn=child))

    described = client("stepfunctions").describe_execution(executionArn=parent)
    assert (described["error"], json.loads(described["cause"])["Error"]) == ("States.TaskFailed", "Broken")


def test_a_nested_execution_is_stopped_with_its_parent(made: Made) -> None:
    child = made.create(AN_HOUR)
    parent = made.start({"Type": "Parallel", "Branches": [sequence(calls(SYNC, StateMachineArn=child))]})
    assert made.children(child) == ["RUNNING"]

    client("stepfunctions").stop_execution(executionArn=parent)
    made.harness.clock.run_until_idle()

    assert (made.status(parent), made.children(child)) == ("ABORTED", ["ABORTED"])


@pytest.mark.parametrize("value", ["text", "null", None])
def test_an_output_is_described_as_json(made: Made, value: str | None) -> None:
    assert made.output(says("$states.input.value"), value=value) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$hash('a', 'SHA-1')", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"),
        ("$length($uuid())", 36),
        ("$uuid() = $uuid()", False),
        ("$random(1) = $random(1)", True),
        ("$random() < 1", True),
        ("$parse('[1]')", [1]),
        ("$partition([1, 2, 3], 2)", [[1, 2], [3]]),
        ("$range(1, 5, 2)", [1, 3, 5]),
        ("$range(3, 1, -1)", [3, 2, 1]),
    ],
)
def test_the_functions_that_aws_adds_to_jsonata(made: Made, expression: str, value: Any) -> None:
    assert made.output(says(expression)) == value


def test_a_variable_may_hold_any_text(made: Made) -> None:
    text = 'say "é" \\ {% 1 %}\n'
    assign = {"Type": "Pass", "Assign": {"said": "{% $states.input.text %}"}}

    assert made.output(assign, says("$said"), text=text) == text


THRESHOLD = "States.ExceedToleratedFailureThreshold"


@pytest.mark.parametrize(("make", "error"), [(each, "Broken"), (each_distributed, THRESHOLD)])
def test_an_item_that_fails_fails_its_map(made: Made, make: Any, error: str) -> None:
    broken = {"Type": "Fail", "Error": "Broken"}
    execution = made.start(make(says("$states.input"), broken, Items="{% [1..3] %}"))

    described = client("stepfunctions").describe_execution(executionArn=execution)
    assert (described["status"], described.get("error")) == ("FAILED", error)


@pytest.mark.parametrize("tolerated", [{"ToleratedFailureCount": 3}, {"ToleratedFailurePercentage": 100.0}])
def test_a_distributed_map_tolerates_as_many_failures_as_it_says(made: Made, tolerated: Any) -> None:
    broken = {"Type": "Fail", "Error": "Broken"}

    assert made.output(each_distributed(broken, Items="{% [1..3] %}", Output="done", **tolerated)) == "done"


@pytest.mark.parametrize("expression", ["1 / 0", "$sum('one')"])
@pytest.mark.parametrize(
    "failing",
    [
        lambda wrong: {"Type": "Pass", "Output": wrong},
        lambda wrong: {"Type": "Map", "Items": wrong, "ItemProcessor": sequence(PASS)},
        lambda wrong: {"Type": "Map", "Items": [1], "ItemProcessor": sequence(PASS), "Output": wrong},
        lambda wrong: {"Type": "Map", "Items": [1], "ItemProcessor": sequence({**PASS, "Output": wrong})},
        lambda wrong: {"Type": "Parallel", "Branches": [sequence(PASS)], "Output": wrong},
        lambda wrong: {"Type": "Wait", "Seconds": wrong},
    ],
    ids=["pass", "items", "map", "item", "parallel", "wait"],
)
def test_an_expression_that_cannot_be_evaluated_has_the_name_that_it_has_on_aws(
    made: Made, failing: Callable[[str], dict[str, Any]], expression: str
) -> None:
    caught = {"ErrorEquals": ["States.ALL"], "Output": "{% $states.errorOutput.Error %}", "Next": "Caught"}
    branches = [sequence(failing(f"{{% {expression} %}}"))]
    whole = {"Type": "Parallel", "Branches": branches, "Catch": [caught], "End": True}
    states = {"Whole": whole, "Caught": {**PASS, "End": True}}

    assert made.output({"StartAt": "Whole", "States": states}) == "States.QueryEvaluationError"


@pytest.mark.parametrize(
    "state",
    [
        {"Type": "Map", "Items": [1], "ItemProcessor": sequence(PASS)},
        {"Type": "Parallel", "Branches": [sequence(PASS)]},
        {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:sqs:listQueues", "Arguments": {}},
    ],
    ids=["map", "parallel", "task"],
)
def test_an_output_that_fails_is_caught_by_the_state_that_has_it(made: Made, state: dict[str, Any]) -> None:
    caught = {"ErrorEquals": ["States.ALL"], "Output": "{% $states.errorOutput.Error %}", "Next": "Caught"}
    wrong = {**state, "Output": "{% 1 / 0 %}", "Catch": [caught], "End": True}
    states = {"Wrong": wrong, "Caught": {**PASS, "End": True}}

    assert made.output({"StartAt": "Wrong", "States": states}) == "States.QueryEvaluationError"
