"""Makes in moto what the template describes: as much of it as tasks and their state machines touch."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from unittest.mock import patch

import boto3
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

from mcp_tasks.testing.state_machines.template import ARNS, REGION, Template

ROLE = "harness"
STATE_MACHINE = "AWS::StepFunctions::StateMachine"
Clients = Callable[[str], Any]
Maker = Callable[[Clients, Template, str, Mapping[str, Any]], None]


class CannotBeMade(BaseException):
    """A state machine brings what cannot be made in moto.

    It is no `Exception`, so that it reaches the test: the server turns those into responses.
    """


@cache
def client(service: str) -> Any:
    """Return a client of the template's region: made once, as moto sees its calls whenever it is on."""
    return boto3.client(service, region_name=REGION)


def make_resources(template: Template, client: Clients = client) -> dict[str, str]:
    """Make what can be made; return, by their names, why the other state machines cannot.

    What was made before stays, and a state machine is updated: its executions keep the definition they began with.
    """
    brought = {name: (kind, machine) for name, kind, machine in template.brought()}
    reasons = {
        machine: f"{machine} brings {name}, an {kind}: here are made {', '.join(MAKERS)}, and no others"
        for name, (kind, machine) in brought.items()
        if kind not in MAKERS and not kind.startswith(NEEDLESS)
    }
    with suppress(client("iam").exceptions.EntityAlreadyExistsException):
        client("iam").create_role(RoleName=ROLE, AssumeRolePolicyDocument="{}")
    for kind, make in MAKERS.items():
        for name, properties in template.of_type(kind):
            machine = brought[name][1] if name in brought else name
            if machine in reasons:
                continue
            try:
                make(client, template, name, properties)
            except ClientError as error:
                if kind != STATE_MACHINE and name not in brought:
                    raise
                reasons[machine] = f"{machine} cannot be made: moto rejects {name}, an {kind}: {error}"
    return reasons


@contextmanager
def refused(reasons: Mapping[str, str]) -> Iterator[None]:
    """Raise `CannotBeMade` when one of these state machines is started."""
    start = StepFunctionsParserBackend.start_execution

    def start_unless_refused(backend: StepFunctionsParserBackend, state_machine_arn: str, *rest: Any) -> Any:
        if reason := reasons.get(state_machine_arn.rpartition(":")[2]):
            raise CannotBeMade(reason)
        return start(backend, state_machine_arn, *rest)

    with patch.object(StepFunctionsParserBackend, "start_execution", start_unless_refused):
        yield


def _bucket(client: Clients, template: Template, name: str, bucket: Mapping[str, Any]) -> None:
    client("s3").create_bucket(Bucket=name)


def _table(client: Clients, template: Template, name: str, table: Mapping[str, Any]) -> None:
    shape = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    stream = table.get("StreamSpecification")
    with suppress(client("dynamodb").exceptions.ResourceInUseException):
        client("dynamodb").create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            **{key: _unprovisioned(table[key]) for key in shape if table.get(key)},
            **({"StreamSpecification": {"StreamEnabled": True, **stream}} if stream else {}),
        )
    if stream:
        made = client("dynamodb").describe_table(TableName=name)["Table"]
        template.learn(name, "StreamArn", made["LatestStreamArn"])


def _unprovisioned(parts: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    settings = ("ReadProvisionedThroughputSettings", "WriteProvisionedThroughputSettings", "ProvisionedThroughput")
    return [{key: value for key, value in part.items() if key not in settings} for part in parts]


def _queue(client: Clients, template: Template, name: str, queue: Mapping[str, Any]) -> None:
    attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
    template.learn(name, "QueueUrl", client("sqs").create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])


def _topic(client: Clients, template: Template, name: str, topic: Mapping[str, Any]) -> None:
    client("sns").create_topic(Name=name, Attributes={"FifoTopic": "true"} if name.endswith(".fifo") else {})


def _function(client: Clients, template: Template, name: str, function: Mapping[str, Any]) -> None:
    # The code is not here: `handlers` calls it.
    nothing = io.BytesIO()
    zipfile.ZipFile(nothing, "w").close()
    with suppress(client("lambda").exceptions.ResourceConflictException):
        client("lambda").create_function(
            FunctionName=name,
            Runtime=function["Runtime"],
            Handler=function["Handler"],
            Role=ARNS["AWS::IAM::Role"].format(ROLE),
            Code={"ZipFile": nothing.getvalue()},
        )


def _alias(client: Clients, template: Template, name: str, alias: Mapping[str, Any]) -> None:
    function, _, qualifier = name.rpartition(":")
    # What moto raises for one that exists is no exception of AWS Lambda's.
    if qualifier not in {made["Name"] for made in client("lambda").list_aliases(FunctionName=function)["Aliases"]}:
        client("lambda").create_alias(FunctionName=function, Name=qualifier, FunctionVersion="$LATEST")


def _state_machine(client: Clients, template: Template, name: str, machine: Mapping[str, Any]) -> None:
    # Moto runs items in no other way, and reads no percentage that is written as an integer.
    definition = machine["DefinitionString"].replace('"ExecutionType":"EXPRESS"', '"ExecutionType":"STANDARD"')
    definition = re.sub(r'("ToleratedFailurePercentage":\d+)(?=[,}])', r"\1.0", definition)
    role = ARNS["AWS::IAM::Role"].format(ROLE)
    made = client("stepfunctions").create_state_machine(name=name, definition=definition, roleArn=role)
    # Moto returns one of that name that exists as if it had been made.
    client("stepfunctions").update_state_machine(stateMachineArn=made["stateMachineArn"], definition=definition)


MAKERS: Mapping[str, Maker] = {
    "AWS::S3::Bucket": _bucket,
    "AWS::DynamoDB::GlobalTable": _table,
    "AWS::DynamoDB::Table": _table,
    "AWS::SQS::Queue": _queue,
    "AWS::SNS::Topic": _topic,
    "AWS::Lambda::Function": _function,
    "AWS::Lambda::Alias": _alias,
    STATE_MACHINE: _state_machine,
}
"""How each type is made, in the order in which they refer to each other."""

NEEDLESS = (
    *("AWS::IAM::", "AWS::Logs::", "AWS::CloudWatch::", "AWS::CDK::", "AWS::KMS::", "AWS::S3::BucketPolicy"),
    *("AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy", "AWS::Lambda::Permission", "AWS::Lambda::LayerVersion"),
    *("AWS::Lambda::EventInvokeConfig", "AWS::Lambda::Version"),
)
"""What makes no difference here: nobody checks permissions, and nothing is logged or encrypted."""
