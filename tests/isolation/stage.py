"""The roles and resources of a synthesised stage, with ARNs as they would be in an account."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tests.infra.assembly import Assembly
from tests.isolation.conditions import UnknownPolicy
from tests.isolation.policies import Request, Statement, listed, statements_of

PSEUDO: Final = {"AWS::Partition": "aws", "AWS::Region": "eu-west-1", "AWS::AccountId": "123456789012"}
ACCOUNT: Final = "eu-west-1:123456789012"
BUCKET, FUNCTION, TABLE = "AWS::S3::Bucket", "AWS::Lambda::Function", "AWS::DynamoDB::GlobalTable"
ALIAS, VERSION = "AWS::Lambda::Alias", "AWS::Lambda::Version"
MACHINE, LOGS = "AWS::StepFunctions::StateMachine", "AWS::Logs::LogGroup"
QUEUE, ROLE, RULE = "AWS::SQS::Queue", "AWS::IAM::Role", "AWS::Events::Rule"
ARNS: Final = {
    TABLE: f"arn:aws:dynamodb:{ACCOUNT}:table/{{id}}",
    BUCKET: "arn:aws:s3:::{id}",
    FUNCTION: f"arn:aws:lambda:{ACCOUNT}:function:{{id}}",
    ALIAS: f"arn:aws:lambda:{ACCOUNT}:function:{{FunctionName[Ref]}}:{{Name}}",
    VERSION: f"arn:aws:lambda:{ACCOUNT}:function:{{FunctionName[Ref]}}:1",
    MACHINE: f"arn:aws:states:{ACCOUNT}:stateMachine:{{StateMachineName}}",
    QUEUE: f"arn:aws:sqs:{ACCOUNT}:{{id}}",
    LOGS: f"arn:aws:logs:{ACCOUNT}:log-group:{{id}}:*",
    ROLE: "arn:aws:iam::123456789012:role/{id}",
    RULE: f"arn:aws:events:{ACCOUNT}:rule/{{Name}}",
}
"""The ARNs of resources that policies name; `{id}` is the name that CloudFormation makes up, here the logical id.

So is the `{Name}` of a resource that the template gives none.
"""

SESSION: Final = "context.aws"
"""The sessions that a host begins for tenants."""

TAKES: Final = ("sts:AssumeRole", "sts:TagSession")
STREAM: Final = "/stream/2026-01-01T00:00:00.000"
WITHOUT_DATA: Final = frozenset(
    {
        *(
            "AWS::IAM::Policy",
            "AWS::Logs::MetricFilter",
            "AWS::Logs::SubscriptionFilter",
            "AWS::Lambda::Permission",
            "AWS::Lambda::LayerVersion",
        ),
        *("AWS::Lambda::EventInvokeConfig", "AWS::Lambda::EventSourceMapping"),
        *("AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"),
        *(f"AWS::ApiGateway::{name}" for name in ("Account", "Authorizer", "Deployment", "GatewayResponse", "Method")),
        *(f"AWS::ApiGateway::{name}" for name in ("Resource", "RestApi", "Stage")),
    }
)
"""What a stage has besides: whoever could change it could change anything, and nobody reads tasks from it."""


@dataclass(frozen=True)
class Stage:
    """A stage, as its roles see it."""

    assembly: Assembly

    @cached_property
    def principals(self) -> Mapping[str, list[Statement]]:
        """The statements of each role that runs something, by the name of what it runs: a function's is its folder.

        So are those of a session of a tenant, by `SESSION`.
        """
        roles = {name: _role(properties) for name, properties in self._running.items()}
        return {name: self._statements(role) for name, role in {**roles, **self.sessions}.items()}

    @cached_property
    def sessions(self) -> Mapping[str, str]:
        """The logical id of each role that roles of the stage may take, by the name of its sessions."""
        taken = [name for name in self.assembly.of(ROLE) if "'AWS'" in str(self.trust(name))]
        return dict(zip([SESSION], taken, strict=True))

    def trust(self, role: str) -> list[dict[str, Any]]:
        """Return the statements of a role's trust."""
        trusted: Any = self._resolved(self.assembly.of(ROLE)[role]["AssumeRolePolicyDocument"])
        return listed(trusted["Statement"])

    def takers(self, trust: Sequence[Mapping[str, Any]], tags: Mapping[str, str]) -> set[str]:
        """Return the principals that a trust lets take its role and tag the session so, whatever else they may do."""
        context = {f"aws:RequestTag/{key}": (value,) for key, value in tags.items()}
        found: set[str] = set()
        for each in trust:
            statement = Statement.of({"Resource": "*", **{name: each[name] for name in set(each) - {"Principal"}}})
            if statement.effect != "Allow":
                raise UnknownPolicy("a trust that denies")
            if any(statement.applies(Request(action=action, resource="*", context=context)) for action in TAKES):
                found |= set(self._named(each["Principal"]))
        return found

    def _named(self, principal: Any) -> Iterator[str]:
        """Yield the names of what a trust's principals are: those of our roles, and others as they are."""
        ours = {self.all_of(ROLE)[_role(properties)]: name for name, properties in self._running.items()}
        for arns in principal.values() if isinstance(principal, dict) else [principal]:
            yield from (ours.get(arn, arn) for arn in listed(arns))

    def role_of(self, name: str) -> str:
        """Return the logical id of the role of a function or a state machine."""
        return _role(self._running[name])

    @property
    def aliases(self) -> Mapping[str, str]:
        """The ARN of each function's alias, by the name of its folder."""
        functions, arns = self.assembly.of(FUNCTION), self.all_of(ALIAS)
        aliases = self.assembly.of(ALIAS).items()
        return {_name(functions[each["FunctionName"]["Ref"]]): arns[found] for found, each in aliases}

    @property
    def functions(self) -> Mapping[str, str]:
        """The logical id of each function, by the name of its folder."""
        return {_name(properties): found for found, properties in self.assembly.of(FUNCTION).items()}

    def all_of(self, kind: str) -> Mapping[str, str]:
        """Return the ARN of each resource of a type, by its logical id."""
        found = self.assembly.of(kind)
        return {name: ARNS[kind].format(**{"id": name, "Name": name} | each) for name, each in found.items()}

    def unknown(self) -> set[str]:
        """Return the types of resources of which nothing here says whether roles could reach data in them."""
        return {resource["Type"] for resource in self.assembly.resources.values()} - ARNS.keys() - WITHOUT_DATA

    @property
    def _running(self) -> Mapping[str, Mapping[str, Any]]:
        functions = {_name(properties): properties for properties in self.assembly.of(FUNCTION).values()}
        machines = self.assembly.of(MACHINE).values()
        return functions | {f"state machine {machine(each['StateMachineName'])}": each for each in machines}

    def _statements(self, role: str) -> list[Statement]:
        found = self.assembly.of(ROLE)[role]
        if unknown := set(found) - {"AssumeRolePolicyDocument"}:
            raise UnknownPolicy(f"{role} has {sorted(unknown)}")
        policies = [each for each in self.assembly.of("AWS::IAM::Policy").values() if {"Ref": role} in each["Roles"]]
        return [each for policy in policies for each in statements_of(self._resolved(policy["PolicyDocument"]))]

    def _resolved(self, value: Any) -> Any:
        match value:
            case {"Ref": str(name)} if name in PSEUDO:
                return PSEUDO[name]
            case {"Fn::GetAtt": [str(name), "Arn"]} | {"Ref": str(name)}:
                return self._arn(name)
            case {"Fn::GetAtt": [str(name), "StreamArn"]}:
                return self._arn(name) + STREAM
            case {"Fn::Join": [str(separator), list(parts)]}:
                return separator.join(map(self._resolved, parts))
            case dict() if any(key == "Ref" or key.startswith("Fn::") for key in value):
                raise UnknownPolicy(str(value))
            case dict():
                return {key: self._resolved(each) for key, each in value.items()}
            case list():
                return [self._resolved(each) for each in value]
            case _:
                return value

    def _arn(self, name: str) -> str:
        return self.all_of(self.assembly.resources[name]["Type"])[name]


def _role(properties: Mapping[str, Any]) -> str:
    ((role, _),) = (properties.get("Role") or properties["RoleArn"]).values()
    return str(role)


def machine(name: str) -> str:
    """Return the file of a state machine, which its name ends with."""
    return name.rpartition("-")[2]


def _name(function: Mapping[str, Any]) -> str:
    return str(function["Handler"]).split(".")[1]
