"""What `run_ministack` puts right about branches and items: what becomes of their results, and what a stop ends."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from local.emulator import ACCOUNT, Emulator, running_emulator
from tests.states import sequence
from tests.timeout import until

ROLE = f"arn:aws:iam::{ACCOUNT}:role/anything"


@dataclass(slots=True, kw_only=True)
class StateMachines:
    """State machines on the emulator."""

    emulator: Emulator
    states: Any = field(init=False)

    def __post_init__(self) -> None:
        self.states = self.emulator.client("stepfunctions")

    def create(self, *states: Any) -> str:
        """Create a machine of these states in their order, and return its ARN."""
        definition = json.dumps({"QueryLanguage": "JSONata", **sequence(*states)})
        return str(
            self.states.create_state_machine(name=f"m{uuid4()}", definition=definition, roleArn=ROLE)["stateMachineArn"]
        )

    def start(self, machine: str, **given: Any) -> str:
        return str(self.states.start_execution(stateMachineArn=machine, input=json.dumps(given))["executionArn"])

    def status(self, execution: str) -> str:
        return str(self.states.describe_execution(executionArn=execution)["status"])

    def output(self, *states: Any, **given: Any) -> Any:
        """Run a machine of these states to its end, and return its output."""
        execution = self.start(self.create(*states), **given)
        until(lambda: self.status(execution) != "RUNNING")
        described = self.states.describe_execution(executionArn=execution)
        assert described["status"] == "SUCCEEDED", described
        return json.loads(described["output"])


def distributed(*states: Any) -> dict[str, Any]:
    return {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}, **sequence(*states)}


def sends(queue: str, language: str) -> dict[str, Any]:
    """Return a state that sends who is named in its input."""
    jsonata = {"Arguments": {"QueueUrl": queue, "MessageBody": "{% $states.input.who %}"}}
    jsonpath = {"Parameters": {"QueueUrl": queue, "MessageBody.$": "$.who"}}
    task = {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:sqs:sendMessage", "QueryLanguage": language}
    return {**task, **(jsonata if language == "JSONata" else jsonpath)}


def policy(*actions: str, **rest: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, **rest}]}


TRUST = {"Principal": {"Service": "states.amazonaws.com"}}
SAME = {"Type": "Pass"}
A_SECOND = {"Type": "Wait", "Seconds": 1}


@pytest.fixture(scope="module")
def machines() -> Iterator[StateMachines]:
    with running_emulator() as emulator:
        iam = emulator.client("iam")
        iam.create_role(RoleName="anything", AssumeRolePolicyDocument=json.dumps(policy("sts:AssumeRole", **TRUST)))
        anything = policy("s3:*", "sqs:*", "states:*", Resource="*")
        iam.put_role_policy(RoleName="anything", PolicyName="anything", PolicyDocument=json.dumps(anything))
        yield StateMachines(emulator=emulator)


def test_an_execution_that_fails_fails_the_one_that_waits_for_it_as_any_task(machines: StateMachines) -> None:
    child = machines.create({"Type": "Fail", "Error": "Broken", "Cause": "on purpose"})
    waits = {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution.sync:2"}
    execution = machines.start(machines.create({**waits, "Arguments": {"StateMachineArn": child}}))
    until(lambda: machines.status(execution) == "FAILED")
    described = machines.states.describe_execution(executionArn=execution)
    cause = json.loads(described["cause"])

    assert described["error"] == "States.TaskFailed"
    assert (cause["Status"], cause["Error"], cause["Cause"]) == ("FAILED", "Broken", "on purpose")


def test_a_parallel_returns_its_output(machines: StateMachines) -> None:
    parallel = {"Type": "Parallel", "Branches": [sequence(SAME), sequence(SAME)], "Output": "{% $states.result[0] %}"}

    assert machines.output(parallel, a=1) == {"a": 1}


def test_a_parallel_hands_its_arguments_to_its_branches(machines: StateMachines) -> None:
    arguments = {"twice": "{% $states.input.a * 2 %}"}

    assert machines.output({"Type": "Parallel", "Branches": [sequence(SAME)], "Arguments": arguments}, a=1) == [
        {"twice": 2}
    ]


def test_a_parallel_assigns_variables(machines: StateMachines) -> None:
    parallel = {"Type": "Parallel", "Branches": [sequence(SAME)], "Assign": {"first": "{% $states.result[0].a %}"}}

    assert machines.output(parallel, {"Type": "Pass", "Output": "{% $first %}"}, a=1) == 1


def test_a_distributed_map_reads_the_prefix_that_an_expression_names(machines: StateMachines) -> None:
    s3 = machines.emulator.client("s3")
    s3.create_bucket(Bucket="items")
    for key in ("in/a", "in/b", "out/c"):
        s3.put_object(Bucket="items", Key=key, Body=b"")
    reader = {
        "Resource": "arn:aws:states:::s3:listObjectsV2",
        "Arguments": {"Bucket": "items", "Prefix": "{% $states.input.prefix %}"},
    }
    each = {
        "Type": "Map",
        "ItemReader": reader,
        "ItemSelector": {"key": "{% $states.input.prefix & $states.context.Map.Item.Value.Key %}"},
        "ItemProcessor": distributed({"Type": "Pass", "Output": "{% $states.input.key %}"}),
        "Output": {"keys": "{% $states.result %}"},
    }

    assert machines.output(each, prefix="in/") == {"keys": ["in/in/a", "in/in/b"]}


def test_a_distributed_map_takes_the_items_that_an_expression_returns(machines: StateMachines) -> None:
    each = {
        "Type": "Map",
        "Items": "{% [1..$states.input.last] %}",
        "MaxConcurrency": "{% $states.input.last %}",
        "ItemProcessor": distributed(SAME),
        "Assign": {"sum": "{% $sum($states.result) %}"},
    }

    assert machines.output(each, {"Type": "Pass", "Output": "{% $sum %}"}, last=3) == 6


def test_a_text_in_an_item_is_no_expression(machines: StateMachines) -> None:
    each = {"Type": "Map", "Items": "{% $states.input.texts %}", "ItemProcessor": distributed(SAME)}

    assert machines.output(each, texts=["{% 1 + 1 %}"]) == ["{% 1 + 1 %}"]


@pytest.mark.parametrize("language", ["JSONata", "JSONPath"])
def test_a_stopped_execution_begins_no_task_in_a_branch(machines: StateMachines, language: str) -> None:
    sqs = machines.emulator.client("sqs")
    queue = sqs.create_queue(QueueName=f"sent_{language}")["QueueUrl"]
    branch = sequence(A_SECOND, sends(queue, language))
    machine = machines.create({"Type": "Parallel", "Branches": [branch]})

    stopped = machines.start(machine, who="stopped")
    until(lambda: len(machines.states.get_execution_history(executionArn=stopped)["events"]) > 1)
    machines.states.stop_execution(executionArn=stopped)
    # Started later, so that whatever the stopped one sends would come before what this one sends.
    last = machines.start(machine, who="last")
    until(lambda: machines.status(last) == "SUCCEEDED")

    received = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert [message["Body"] for message in received] == ["last"]
    assert machines.status(stopped) == "ABORTED"


def test_a_stopped_execution_stops_the_one_that_it_waits_for(machines: StateMachines) -> None:
    child = machines.create({"Type": "Wait", "Seconds": 600})
    resource = "arn:aws:states:::states:startExecution.sync:2"
    parent = machines.start(
        machines.create({"Type": "Task", "Resource": resource, "Arguments": {"StateMachineArn": child, "Input": {}}})
    )
    (begun,) = until(lambda: machines.states.list_executions(stateMachineArn=child)["executions"])
    assert machines.status(begun["executionArn"]) == "RUNNING"

    machines.states.stop_execution(executionArn=parent)

    assert machines.status(begun["executionArn"]) == "ABORTED"
