"""A state machine that exists already does the work of a tool: ours starts it, and waits for its end."""

import json
from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Template
from aws_cdk.aws_stepfunctions import DefinitionBody, StateMachine

from infra.existing_machine import EMULATOR, existing_work, imported
from infra.retries import UNSTARTED
from tests.infra.assembly import Assembly, flat
from tests.infra.test_least_privilege import permissions
from tests.infra.test_state_machines import definition, states, validate

NAMES = pytest.mark.parametrize(
    ("name", "arn"),
    [
        ("by_arn", "arn:aws:states:eu-central-1:123456789012:stateMachine:nightly-load"),
        ("by_import", "arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:nightly-load"),
    ],
)
FILE = "infra/machines/load.py"
ARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:{}"


@NAMES
def test_it_is_started_with_the_tasks_arguments_and_its_output_is_the_result(
    sampled: Assembly, name: str, arn: str
) -> None:
    machine = definition(sampled, name)
    start = states(machine)["Start"]

    assert validate(machine).returncode == 0
    assert start["Resource"] == "arn:aws:states:::states:startExecution.sync:2"
    assert start["Arguments"] == {
        "StateMachineArn": arn.replace("<AWS::Partition>", "aws"),
        "Name": "{% $states.context.Execution.Name %}",
        "Input": "{% $states.context.Execution.Input.arguments %}",
    }
    assert start["TimeoutSeconds"] == "{% $states.context.Execution.Input.timeout %}"
    assert start["Output"] == "{% $states.result.Output %}"
    assert machine["States"]["Work"]["Next"] == "RecordReturn"
    assert [retry["ErrorEquals"] for retry in start["Retry"]] == [UNSTARTED]


@NAMES
def test_ours_may_start_and_stop_that_one_and_no_other(sampled: Assembly, name: str, arn: str) -> None:
    here = "arn:<AWS::Partition>:{}:<AWS::Region>:<AWS::AccountId>"
    may = permissions(sampled)[f"Work{name.replace('_', '')}MachineRole"]

    assert {of: actions for of, actions in may.items() if ":states:" in of or ":events:" in of} == {
        arn: {"states:StartExecution"},
        f"{here.format('states')}:execution:nightly-load*": {"states:DescribeExecution", "states:StopExecution"},
        f"{here.format('events')}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule": {
            *("events:PutTargets", "events:PutRule", "events:DescribeRule")
        },
    }


def started(arn: object, environment: Environment) -> str:
    """Return the ARN that is started for this one, in a stack for that account and region."""
    stack = Stack(App(), "Stack", env=environment)
    work = existing_work(stack, imported(stack, arn, file=FILE))
    StateMachine(stack, "Machine", definition_body=DefinitionBody.from_chainable(work))
    (machine,) = Template.from_stack(stack).find_resources("AWS::StepFunctions::StateMachine").values()
    content: dict[str, Any] = json.loads(flat(machine["Properties"]["DefinitionString"]))
    return str(content["States"]["Start"]["Arguments"]["StateMachineArn"])


@pytest.mark.parametrize("name", ["load", "load:live", "load:3"])
def test_a_version_or_an_alias_may_be_started(name: str) -> None:
    there = Environment(account="123456789012", region="eu-central-1")

    assert started(ARN.format(name), there) == ARN.format(name)


def test_the_emulator_has_one_of_that_name() -> None:
    here = Environment(account=EMULATOR, region="us-east-1")

    assert started(ARN.format("load"), here) == f"arn:<AWS::Partition>:states:us-east-1:{EMULATOR}:stateMachine:load"


@pytest.mark.parametrize(
    ("account", "region", "said"),
    [("210987654321", "eu-central-1", "from 210987654321"), ("123456789012", "us-west-2", "from us-west-2")],
)
def test_a_machine_of_elsewhere_is_rejected(account: str, region: str, said: str) -> None:
    with pytest.raises(
        SystemExit, match=f"^{FILE}: {ARN.format('load')} cannot be waited for {said}: a state machine starts"
    ):
        started(ARN.format("load"), Environment(account=account, region=region))


@pytest.mark.parametrize(
    "arn", [None, "load", "arn:aws:lambda:eu-central-1:123456789012:function:load", f"{ARN.format('load')} "]
)
def test_what_is_no_arn_of_a_machine_is_rejected(arn: object) -> None:
    with pytest.raises(
        SystemExit, match=r"^infra/machines/load.py: .* is no ARN of a state machine: arn:aws:states:REGION:ACCOUNT"
    ):
        started(arn, Environment())
