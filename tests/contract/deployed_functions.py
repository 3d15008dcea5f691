"""Functions of a stage in moto, whose versions are those of several deploys."""

import io
import zipfile
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

from local.releases import Published, published, release_before
from local.rollback import return_to


class Functions:
    """Functions in moto, of which each deploy names those that it published before it ended or failed."""

    def __init__(self) -> None:
        self.client = boto3.client("lambda", region_name="us-east-1")
        self._changes: Counter[tuple[str, str]] = Counter()
        self.client.meta.events.register("provide-client-params.lambda.UpdateAlias", self._revised)
        self.client.meta.events.register("after-call.lambda.GetAlias", self._read)
        trust = boto3.client("iam", region_name="us-east-1").create_role(RoleName="r", AssumeRolePolicyDocument="{}")
        self._role = trust["Role"]["Arn"]
        self._names: list[str] = []
        self.table, self.bucket = "tasks", "payloads"

    def deploy(self, release: str, *names: str) -> None:
        """Publish a version of each function, and have its alias lead to it."""
        for name in names:
            number = self.publish(release, name)
            self.client.update_alias(FunctionName=name, Name="live", FunctionVersion=number)

    def publish(self, release: str, name: str) -> str:
        """Publish a version of a function, and return its number."""
        environment = self._environment(release)
        if name in self._names:
            self.client.update_function_configuration(FunctionName=name, Environment=environment)
        else:
            self._create(name, environment)
        number = str(self.client.publish_version(FunctionName=name)["Version"])
        if name not in self._names:
            self._names.append(name)
            self.client.create_alias(FunctionName=name, Name="live", FunctionVersion=number)
        return number

    def revert(self, release: str, *names: str) -> None:
        """Set the functions back as CloudFormation does where a deploy fails; what was published stays."""
        for name in names:
            environment = self._environment(release)
            self.client.update_function_configuration(FunctionName=name, Environment=environment)

    def read(self) -> list[Published]:
        """Return what the commands read."""
        return published(self.client, dict.fromkeys(self._names, "live"))

    def live(self) -> list[str | None]:
        """Return the release that the alias of each function leads to."""
        return [each.release for each in self.read()]

    def refuse(self, number: int) -> None:
        """Have AWS refuse the next call of this number that moves an alias."""
        calls = count()

        def answer(**call: Any) -> Any:
            if next(calls) == number:
                error = {"Error": {"Code": "ServiceException", "Message": "try later"}, "ResponseMetadata": {}}
                return AWSResponse("", 500, {}, None), error
            return None

        self.client.meta.events.register("before-call.lambda.UpdateAlias", answer, unique_id="refuse")

    def accept(self) -> None:
        """Refuse no more calls."""
        self.client.meta.events.unregister("before-call.lambda.UpdateAlias", unique_id="refuse")

    def _environment(self, release: str) -> dict[str, Any]:
        return {"Variables": {"RELEASE": release, "TABLE_NAME": self.table, "PAYLOAD_BUCKET": self.bucket}}

    def _revised(self, params: dict[str, Any], **_: Any) -> None:
        """Refuse to move an alias that has changed since it was read, as AWS does and moto does not."""
        alias = params["FunctionName"], params["Name"]
        if params.get("RevisionId", self._revision(alias)) != self._revision(alias):
            answer = {"Error": {"Code": "PreconditionFailedException", "Message": "The RevisionId does not match"}}
            raise ClientError(answer, "UpdateAlias")
        self._changes[alias] += 1

    def _read(self, parsed: dict[str, Any], **_: Any) -> None:
        alias = parsed["AliasArn"].split(":")[-2:]
        parsed["RevisionId"] = self._revision((alias[0], alias[1]))

    def _revision(self, alias: tuple[str, str]) -> str:
        return f"revision-{self._changes[alias]}"

    def _create(self, name: str, environment: dict[str, Any]) -> None:
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("handler.py", f"name = {name!r}")
        self.client.create_function(
            FunctionName=name,
            Runtime="python3.13",
            Handler="handler.handler",
            Role=self._role,
            Code={"ZipFile": code.getvalue()},
            Environment=environment,
        )


def roll_back(functions: Functions) -> Sequence[Any]:
    """Return to the release before, and return what moved."""
    release = release_before(functions.read())
    assert release, "there is one"
    return return_to(functions.client, functions.read(), release)
