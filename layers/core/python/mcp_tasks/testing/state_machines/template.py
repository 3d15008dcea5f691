"""The synthesised CloudFormation template, with the names that its parts have on the harness."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

ACCOUNT = "123456789012"
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
    "AWS::Lambda::Function": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
    "AWS::StepFunctions::StateMachine": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{{}}",
    "AWS::S3::Bucket": "arn:aws:s3:::{}",
    "AWS::IAM::Role": f"arn:aws:iam::{ACCOUNT}:role/{{}}",
    "AWS::SQS::Queue": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{{}}",
}
NAMED_BY = {"AWS::StepFunctions::StateMachine": "StateMachineName"}


class Template:
    """What was synthesised, read with every intrinsic function resolved."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Take the template as CDK wrote it."""
        self._resources: Mapping[str, Any] = document["Resources"]
        self._attributes: dict[tuple[str, str], str] = {}

    def of_type(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield name and properties of each resource of that type."""
        for logical_id, resource in self._resources.items():
            if resource["Type"] == kind:
                yield self.name(logical_id), self.resolve(resource.get("Properties", {}))

    def arns(self, kind: str) -> list[str]:
        """Return the ARN of each resource of that type."""
        return [self.arn(logical_id) for logical_id, resource in self._resources.items() if resource["Type"] == kind]

    def streams(self) -> list[str]:
        """Return the ARN of each table's stream."""
        return [value for (_, attribute), value in self._attributes.items() if attribute == "StreamArn"]

    def name(self, logical_id: str) -> str:
        """Return what the resource is called on the harness."""
        resource = self._resources[logical_id]
        given = resource.get("Properties", {}).get(NAMED_BY.get(resource["Type"], ""))
        name = self.resolve(given) if given else logical_id
        return str(name).lower() if resource["Type"] == "AWS::S3::Bucket" else str(name)

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
            case {"Fn::Join": [str(separator), list(parts)]}:
                return separator.join(str(self.resolve(part)) for part in parts)
            case {"Fn::Sub": str(text)}:
                return re.sub(r"\$\{([\w:]+)\}", lambda found: str(self.resolve({"Ref": found[1]})), text)
            case {"Fn::Sub": _} | {"Fn::Select": _} | {"Fn::Split": _} | {"Fn::ImportValue": _}:
                raise NotImplementedError(f"the harness cannot resolve {json.dumps(value)}")
            case dict():
                return {key: self.resolve(each) for key, each in value.items()}
            case list():
                return [self.resolve(each) for each in value]
            case _:
                return value

    def _reference(self, logical_id: str) -> str:
        is_machine = self._resources.get(logical_id, {}).get("Type") == "AWS::StepFunctions::StateMachine"
        if logical_id not in self._resources:
            return logical_id
        return self.arn(logical_id) if is_machine else self.name(logical_id)

    def _attribute(self, logical_id: str, attribute: str) -> str:
        known = self._attributes.get((self.name(logical_id), attribute))
        return known if known is not None else self.arn(logical_id)
