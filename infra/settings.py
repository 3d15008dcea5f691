"""What differs by stage, read once from the CDK context."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from aws_cdk import Duration, Environment, RemovalPolicy
from aws_cdk.aws_logs import RetentionDays
from constructs import Node

from infra.presentation import Presentation


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One stage as `cdk.json` describes it; `-c name=value` overrides a value, in JSON unless it is text.

    `audience` is what a token must be meant for.  `public_url` is where clients find the API when that
    is not the gateway's own address (a custom domain, say); `{api}` in it stands for the API's id.
    `catalogue` is where a function finds what there is to know of tools without importing them.
    """

    stage: str
    issuer: str
    audience: str
    jwks_url: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    tenant_claim: str = "tenant"
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    max_token_age_seconds: int = 24 * 3600
    scopes: tuple[str, ...] = ()
    public_url: str = ""
    allowed_origins: tuple[str, ...] = ()
    server_name: str = "mcp-task-server"
    server_version: str = "0.1.0"
    server_title: str = ""
    server_description: str = ""
    server_website: str = ""
    server_icons: tuple[Mapping[str, Any], ...] = ()
    instructions: str = ""
    tools_module: str = "tools"
    catalogue: str = "/opt/catalogue.json"
    page_size: int = 50
    max_active_tasks: int = 1000
    default_ttl_seconds: int = 24 * 3600
    max_ttl_seconds: int = 7 * 24 * 3600
    round_lifetime_seconds: int = 3600
    requests_per_second: int = 200
    await_concurrency: int | None = None
    run_concurrency: int | None = None
    log_level: str = "INFO"
    log_retention: str = "TWO_WEEKS"
    keep_data: bool = False
    local: bool = False

    @classmethod
    def from_context(cls, node: Node) -> Self:
        """Read the stage that the context names: `local=1`, or `stage=<name>`, or `dev`."""
        stage = "local" if node.try_get_context("local") else node.try_get_context("stage") or "dev"
        values: dict[str, Any] = dict(node.get_context("stages")[stage])
        for field in fields(cls):
            if (given := node.try_get_context(field.name)) is not None:
                values[field.name] = json.loads(given) if isinstance(given, str) and field.type is not str else given
        for name, value in values.items():
            values[name] = tuple(value) if isinstance(value, list) else value
        values |= {"stage": stage, "local": stage == "local"}
        return cls(**values)

    @property
    def presentation(self) -> Presentation:
        """How the server presents itself; raises `ValueError`."""
        return Presentation.of({field.name: getattr(self, field.name) for field in fields(Presentation)})

    @property
    def environment(self) -> Environment:
        """Whatever account and region the credentials name; the emulator's fixed ones when local."""
        return Environment(account="000000000000", region="us-east-1") if self.local else Environment()

    @property
    def max_ttl(self) -> Duration:
        """The longest that a task may be kept."""
        return Duration.seconds(self.max_ttl_seconds)

    @property
    def removal(self) -> RemovalPolicy:
        """What becomes of the data when the stack goes."""
        return RemovalPolicy.RETAIN if self.keep_data else RemovalPolicy.DESTROY

    @property
    def retention(self) -> RetentionDays:
        """How long logs are kept."""
        return RetentionDays[self.log_retention]
