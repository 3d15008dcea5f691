"""The settings of a stage, read once from the CDK context."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, fields
from datetime import timedelta
from typing import Any, Self, get_origin

from aws_cdk import Duration, Environment, RemovalPolicy
from aws_cdk.aws_logs import RetentionDays
from constructs import Node

from mcp_tasks.limits.tenants import (
    DEFAULT_TTL,
    MAX_ACTIVE_TASKS,
    MAX_TOKEN_AGE,
    MAX_TTL,
    PAGE_SIZE,
    REQUESTS_PER_SECOND,
)
from mcp_tasks.limits.waits import REQUEST_STATE_LIFETIME

from .presentation import Presentation

SECOND = timedelta(seconds=1)
REQUIRED = ("issuer", "audience", "jwks_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """One stage as `cdk.json` describes it; `-c name=value` overrides a value, in JSON unless it is text.

    `audience` is the `aud` that a token must have.  `public_url` is where clients find the API when that
    is not the gateway's own address (a custom domain, say); `{api}` in it is replaced by the API's id.
    Without a `server_version` the server reports the version of this template.
    `machines_module` is the package whose modules define the state machines.
    `catalogue` is the path of the file from which functions list tools without importing them.
    """

    stage: str
    issuer: str
    audience: str
    jwks_url: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    tenant_claim: str = "tenant"
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    max_token_age_seconds: int = MAX_TOKEN_AGE // SECOND
    scopes: tuple[str, ...] = ()
    public_url: str = ""
    allowed_origins: tuple[str, ...] = ()
    server_name: str = "mcp-task-server"
    server_version: str = ""
    server_title: str = ""
    server_description: str = ""
    server_website: str = ""
    server_icons: tuple[Mapping[str, Any], ...] = ()
    instructions: str = ""
    tools_module: str = "tools"
    machines_module: str = "infra.machines"
    catalogue: str = "/opt/catalogue.json"
    page_size: int = PAGE_SIZE
    max_active_tasks: int = MAX_ACTIVE_TASKS
    default_ttl_seconds: int = DEFAULT_TTL // SECOND
    max_ttl_seconds: int = MAX_TTL // SECOND
    request_state_lifetime_seconds: int = REQUEST_STATE_LIFETIME // SECOND
    requests_per_second: int = REQUESTS_PER_SECOND
    await_concurrency: int | None = None
    run_concurrency: int | None = None
    log_level: str = "INFO"
    log_retention: str = "TWO_WEEKS"
    keep_data: bool = False
    local: bool = False

    @classmethod
    def from_context(cls, node: Node) -> Self:
        """Read the stage that the context names: `local=1`, or `stage=<name>`, or `dev`.

        Raises:
            SystemExit: There is no such stage, or a setting of it is missing, unknown or invalid.
        """
        stage = "local" if node.try_get_context("local") else node.try_get_context("stage") or "dev"
        stages = node.get_context("stages")
        if stage not in stages:
            raise SystemExit(f"There is no stage {stage!r} in cdk.json, only {', '.join(stages)}.")
        values: dict[str, Any] = dict(stages[stage])
        for name in values.keys() - {field.name for field in fields(cls)}:
            raise SystemExit(
                f"Stage {stage!r} in cdk.json has a setting {name!r}: infra/settings.py has no such setting."
            )
        for field in fields(cls):
            if (given := node.try_get_context(field.name)) is not None:
                values[field.name] = _given(field, given)
            if get_origin(field.type) is tuple and field.name in values:
                values[field.name] = _listed(field.name, values[field.name])
        _check(stage, values)
        values |= {"stage": stage, "local": stage == "local"}
        return cls(**values)

    @property
    def presentation(self) -> Presentation:
        """The settings that clients are shown."""
        return Presentation.of({field.name: getattr(self, field.name) for field in fields(Presentation)})

    @property
    def environment(self) -> Environment:
        """The account and region of the credentials; the emulator's fixed ones when local."""
        return Environment(account="000000000000", region="us-east-1") if self.local else Environment()

    @property
    def max_ttl(self) -> Duration:
        """The longest that a task may be kept."""
        return Duration.seconds(self.max_ttl_seconds)

    @property
    def removal(self) -> RemovalPolicy:
        """What happens to tables and buckets when the stack is deleted."""
        return RemovalPolicy.RETAIN if self.keep_data else RemovalPolicy.DESTROY

    @property
    def retention(self) -> RetentionDays:
        """How long logs are kept."""
        return RetentionDays[self.log_retention]


def _given(field: Field[Any], given: Any) -> Any:
    if field.type is str or not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        raise SystemExit(f"{field.name} is JSON on the command line, and {given!r} is none.") from None


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    # A string is a sequence too, of its characters: with a "*" among them, every origin would be allowed.
    if not isinstance(value, list):
        raise SystemExit(f"{name} is a list, such as {json.dumps([value])}, not {json.dumps(value)}.")
    return tuple(value)


def _check(stage: str, values: Mapping[str, Any]) -> None:
    _check_origins(values.get("allowed_origins", ()))
    retention = values.get("log_retention")
    if retention is not None and retention not in RetentionDays.__members__:
        raise SystemExit(f"log_retention is a name in RetentionDays of the CDK, such as TWO_WEEKS, not {retention!r}.")
    try:
        Presentation.of(values)
    except ValueError as error:
        raise SystemExit(f"Stage {stage!r} in cdk.json: {error}.") from None
    if missing := [name for name in REQUIRED if name not in values]:
        raise SystemExit(f"Stage {stage!r} in cdk.json lacks {', '.join(missing)}.")


def _check_origins(patterns: Iterable[Any]) -> None:
    for pattern in patterns:
        if not isinstance(pattern, str) or not re.fullmatch(r"\*|null|[^/,\s]+://[^/,\s]*", pattern):
            raise SystemExit(
                f"allowed_origins has {pattern!r}, which no browser names as an origin: write it as "
                "https://app.example.org, without a path or a slash at the end."
            )
