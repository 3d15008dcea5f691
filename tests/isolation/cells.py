"""Everything that could be asked for in a stage: each action on each resource, for the caller `ADA` of `acme`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks.adapters.dynamodb.anchors import AUDIT
from mcp_tasks.adapters.dynamodb.items import SYSTEM
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS
from mcp_tasks.adapters.dynamodb.plan_items import plan_key
from mcp_tasks.security.tenancy import Caller
from tests.isolation.actions import actions, keyed_actions
from tests.isolation.conditions import Context
from tests.isolation.policies import Request
from tests.isolation.stage import (
    ACCOUNT,
    BUCKET,
    FUNCTION,
    LOGS,
    MACHINE,
    QUEUE,
    ROLE,
    RULE,
    SESSION,
    STREAM,
    TABLE,
    Stage,
    machine,
)
from tests.kit import ADA, BOB, EVE

OWN, COLLEAGUE, RIVAL = (caller.owner_key for caller in (ADA, BOB, EVE))
ITEMS: Final = {
    "own": (OWN,),
    "own tenant's": (ADA.tenant,),
    "other subject's": (COLLEAGUE,),
    "other tenant's": (RIVAL,),
    "signing keys": (SYSTEM,),
    "anchors": (AUDIT,),
    "audit keys": (AUDIT_KEYS,),
    "own tenant's plan": (plan_key(ADA.tenant)["PK"]["S"],),
    "other tenant's plan": (plan_key(EVE.tenant)["PK"]["S"],),
    "own and other tenant's": (OWN, RIVAL),
}
"""The partition keys of a request; one that reads and writes several has them all."""

WITH_KEYS: Final = frozenset({"items", "index live"})
WITHOUT_KEYS: Final = frozenset({"table as a whole", "index as a whole"})
OBJECTS: Final = {"own": OWN, "other subject's": COLLEAGUE, "other tenant's": RIVAL}
FOLDERS: Final = {
    "own tenant's": ADA.tenant_tag,
    "other tenant's": EVE.tenant_tag,
    "longer name's": Caller(tenant=f"{ADA.tenant}/2", subject="ada").tenant_tag,
    "nobody's": "",
}
"""What the keys of the tools' objects begin with."""

TAGS: Final[Mapping[str, Context]] = {SESSION: {"aws:PrincipalTag/tenant": (ADA.tenant_tag,)}}
"""The tags of principals that have some."""

TOOLS_BUCKET: Final = "Data"
"""The bucket of the example tools, who may reach it as the app says; all else is the server's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A resource as a reader knows it; `keys` are the partition keys that requests for it name."""

    kind: str
    which: str
    arn: str
    prefix: str
    keys: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is, and which one of these."""
        return f"{self.kind}: {self.which}" if self.which else self.kind

    def requests(self) -> Iterator[Request]:
        """Yield a request for each action that its service has."""
        possible = actions(self.prefix)
        if self.kind in (WITH_KEYS | WITHOUT_KEYS):
            possible = keyed_actions() if self.kind in WITH_KEYS else possible - keyed_actions()
        context = {"dynamodb:LeadingKeys": self.keys} if self.keys else {}
        for action in sorted(possible):
            yield Request(action=action, resource=self.arn, context=context)


def targets(stage: Stage) -> list[Target]:
    """Return all that could be asked for."""
    return [
        *_of_table(stage),
        *_of_buckets(stage),
        *_of_machines(stage),
        *_of_functions(stage),
        *_of_others(stage),
    ]


def _of_table(stage: Stage) -> Iterator[Target]:
    (table,) = stage.all_of(TABLE).values()
    for which, keys in ITEMS.items():
        yield Target(kind="items", which=which, arn=table, prefix="dynamodb", keys=keys)
    # Of all tenants: its partition keys are numbers of shards.
    yield Target(kind="index live", which="", arn=f"{table}/index/live", prefix="dynamodb", keys=("0",))
    for kind, arn in {"table": table, "index": f"{table}/index/live", "stream": table + STREAM}.items():
        yield Target(kind=f"{kind} as a whole", which="", arn=arn, prefix="dynamodb")


def _of_buckets(stage: Stage) -> Iterator[Target]:
    for bucket, arn in stage.all_of(BUCKET).items():
        kind = "tools' bucket" if bucket == TOOLS_BUCKET else "payloads"
        yield Target(kind=kind, which="as a whole", arn=arn, prefix="s3")
        for which, folder in (FOLDERS if bucket == TOOLS_BUCKET else OBJECTS).items():
            yield Target(kind=kind, which=which, arn=f"{arn}/{folder}/task/hash", prefix="s3")


def _of_machines(stage: Stage) -> Iterator[Target]:
    for arn in stage.all_of(MACHINE).values():
        file, execution = machine(arn), arn.replace(":stateMachine:", ":execution:")
        yield Target(kind="state machine", which=file, arn=arn, prefix="states")
        yield Target(kind="executions", which=file, arn=f"{execution}:task", prefix="states")


def _of_functions(stage: Stage) -> Iterator[Target]:
    """Yield the alias of each function, the function by itself, and a version."""
    for name, alias in stage.aliases.items():
        yield Target(kind="function", which=name, arn=alias, prefix="lambda")
    for name, found in stage.functions.items():
        arn = stage.all_of(FUNCTION)[found]
        for kind, each in {"unqualified function": arn, "version of function": f"{arn}:1"}.items():
            yield Target(kind=kind, which=name, arn=each, prefix="lambda")


def _of_others(stage: Stage) -> Iterator[Target]:
    for name, found in stage.functions.items():
        group = stage.all_of(LOGS)[f"{found}Logs"].removesuffix(":*")
        yield Target(kind="log group", which=name, arn=f"{group}:log-stream:one", prefix="logs")
    for found, arn in stage.all_of(ROLE).items():
        for prefix in ("sts", "iam"):
            yield Target(kind="role", which=found, arn=arn, prefix=prefix)
    for arn in stage.all_of(QUEUE).values():
        yield Target(kind="dead letters", which="", arn=arn, prefix="sqs")
    for found, arn in stage.all_of(RULE).items():
        yield Target(kind="rule", which=found, arn=arn, prefix="events")
    bus = f"arn:aws:events:{ACCOUNT}:event-bus/default"
    yield Target(kind="event bus of the account", which="", arn=bus, prefix="events")
    for prefix, name in ELSEWHERE.items():
        yield Target(kind="not of the stage", which=name, arn=f"arn:aws:{prefix}:{ACCOUNT}:{name}", prefix=prefix)
    for prefix in WITHOUT_RESOURCE:
        yield Target(kind="without a resource", which=prefix, arn="*", prefix=prefix)


ELSEWHERE: Final[Mapping[str, str]] = {
    "dynamodb": "table/another",
    "events": "event-bus/another",
    "kms": "key/1",
    "lambda": "function:another",
    "logs": "log-group:another:log-stream:one",
    "secretsmanager": "secret:another",
    "sqs": "another",
    "ssm": "parameter/another",
    "states": "stateMachine:another",
}
WITHOUT_RESOURCE: Final = ("dynamodb", "events", "kms", "lambda", "logs", "s3", "sqs", "ssm", "states", "sts", "xray")
