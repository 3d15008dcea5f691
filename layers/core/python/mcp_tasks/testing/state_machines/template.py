"""The synthesised CloudFormation template, with the names that its parts have in moto."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

ACCOUNT = "123456789012"
EMULATORS_ACCOUNT = "000000000000"
REGION = "us-east-1"
PSEUDO = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "harness",
    "AWS::NoValue": None,
}
ARNS = {
    "AWS::DynamoDB::GlobalTable": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{}}",
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{}}",
    "AWS::Lambda::Alias": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
    "AWS::Lambda::Function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
    "AWS::StepFunctions::StateMachine": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{{}}",
    "AWS::S3::Bucket": "arn:aws:s3:::{}",
    "AWS::IAM::Role": f"arn:aws:iam::{ACCOUNT}:role/{{}}",
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{{}}",
    "AWS::SNS::Topic": f"arn:aws:sns:{REGION}:{ACCOUNT}:{{}}",
}
NAMED_BY = {
    "AWS::DynamoDB::GlobalTable": "TableName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::StepFunctions::StateMachine": "StateMachineName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SNS::Topic": "TopicName",
}
REFERENCED_BY_ARN = ("AWS::StepFunctions::StateMachine", "AWS::SNS::Topic", "AWS::Lambda::Alias")
LONGEST_BUCKET_NAME = 63

MACHINE = "/Machine/"
"""What follows, in the path of a tool's state machine, on the path of what that brings."""


class Template:
    """What was synthesised, read with every intrinsic function resolved."""

    def __init__(self, document: Mapping[str, Any], assembly: Path | None = None) -> None:
        """Take the template as CDK wrote it, and the folder of the cloud assembly, which has the functions' code."""
        self.assembly = assembly
        self._resources: Mapping[str, Any] = document["Resources"]
        self._attributes: dict[tuple[str, str], str] = {}
        machines = [name for name in self._resources if self._type(name).endswith("::StateMachine")]
        self._machines = {
            self._path(name).partition(MACHINE)[0]: name for name in machines if MACHINE in self._path(name)
        }

    @classmethod
    def of_assembly(cls, folder: Path) -> Self:
        """Read the one template of the local stage in a cloud assembly, as if it was of moto's account."""
        (file,) = folder.glob("*.template.json")
        return cls(json.loads(file.read_text().replace(EMULATORS_ACCOUNT, ACCOUNT)), folder)

    def of_type(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield name and properties of each resource of that type."""
        for logical_id, resource in self._resources.items():
            if resource["Type"] == kind:
                yield self.name(logical_id), self.resolve(resource.get("Properties", {}))

    def ours(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield name and properties of each resource of that type that no tool's state machine brings."""
        brought = {name for name, _, _ in self.brought()}
        return ((name, properties) for name, properties in self.of_type(kind) if name not in brought)

    def brought(self) -> Iterator[tuple[str, str, str]]:
        """Yield name and type of each resource that a tool's state machine brings, and the state machine's name."""
        yield from self._brought

    @cached_property
    def _brought(self) -> list[tuple[str, str, str]]:
        return list(self._find_brought())

    def _find_brought(self) -> Iterator[tuple[str, str, str]]:
        for logical_id in self._resources:
            path = self._path(logical_id)
            for brings, machine in self._machines.items():
                if path.startswith(f"{brings}/") and not path.startswith(f"{brings}{MACHINE}"):
                    yield self.name(logical_id), self._type(logical_id), self.name(machine)

    def arns(self, kind: str) -> list[str]:
        """Return the ARN of each resource of that type."""
        return [self.arn(logical_id) for logical_id, resource in self._resources.items() if resource["Type"] == kind]

    def stream(self, table: str) -> str:
        """Return the ARN of the stream of a table, by its name."""
        return self._attributes[table, "StreamArn"]

    def name(self, logical_id: str) -> str:
        """Return what the resource is called on the harness."""
        resource = self._resources[logical_id]
        given = resource.get("Properties", {}).get(NAMED_BY.get(resource["Type"], ""))
        if given:
            return str(self.resolve(given))
        if resource["Type"] == "AWS::Lambda::Alias":
            return f"{self.resolve(resource['Properties']['FunctionName'])}:{resource['Properties']['Name']}"
        if resource["Type"] == "AWS::S3::Bucket":
            return logical_id.lower()[-LONGEST_BUCKET_NAME:]
        is_fifo = resource.get("Properties", {}).get("FifoQueue") or resource.get("Properties", {}).get("FifoTopic")
        return f"{logical_id}.fifo" if is_fifo else logical_id

    def arn(self, logical_id: str) -> str:
        """Return the resource's ARN on the harness."""
        return ARNS.get(self._resources[logical_id]["Type"], "arn:aws:unknown:::{}").format(self.name(logical_id))

    def learn(self, name: str, attribute: str, value: str) -> None:
        """Record an attribute that is only known once the resource of that name was created."""
        self._attributes[name, attribute] = value

    def resolve(self, value: Any) -> Any:
        """Return the value as CloudFormation would hand it to the service."""
        match value:
            case {"Ref": str(name)}:
                return PSEUDO[name] if name in PSEUDO else self._reference(name)
            case {"Fn::GetAtt": [str(name), str(attribute)]}:
                return self._attribute(name, attribute)
            case dict() if len(value) == 1 and next(iter(value)).startswith("Fn::"):
                return self._function(value)
            case dict():
                return {key: self.resolve(each) for key, each in value.items()}
            case list():
                return [self.resolve(each) for each in value]
            case _:
                return value

    def _function(self, value: Any) -> Any:
        match value:
            case {"Fn::Join": [str(separator), list(parts)]}:
                return separator.join(str(self.resolve(part)) for part in parts)
            case {"Fn::Sub": str(text)}:
                return re.sub(r"\$\{([\w:]+)\}", lambda found: str(self.resolve({"Ref": found[1]})), text)
            case {"Fn::Select": [index, values]}:
                return self.resolve(values)[int(index)]
            case {"Fn::Split": [str(separator), text]}:
                return str(self.resolve(text)).split(separator)
            case _:
                raise NotImplementedError(f"the harness cannot resolve {json.dumps(value)}")

    def _reference(self, logical_id: str) -> str:
        if logical_id not in self._resources:
            return logical_id
        if url := self._attributes.get((self.name(logical_id), "QueueUrl")):
            return url
        return self.arn(logical_id) if self._type(logical_id) in REFERENCED_BY_ARN else self.name(logical_id)

    def _attribute(self, logical_id: str, attribute: str) -> str:
        known = self._attributes.get((self.name(logical_id), attribute))
        if known is not None:
            return known
        return self.name(logical_id) if attribute.endswith("Name") else self.arn(logical_id)

    def _type(self, logical_id: str) -> str:
        return str(self._resources[logical_id]["Type"])

    def _path(self, logical_id: str) -> str:
        return str(self._resources[logical_id].get("Metadata", {}).get("aws:cdk:path", ""))
