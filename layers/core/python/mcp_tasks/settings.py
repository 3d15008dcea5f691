"""The settings of a deployment, read from the environment variables that `infra/variables.py` writes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from mcp_tasks.engine.limits import Limits
from mcp_tasks.limits.tenants import DEFAULT_TTL, MAX_ACTIVE_TASKS, MAX_RUNNING_TASKS, MAX_TTL, PAGE_SIZE
from mcp_tasks.limits.waits import MAX_HOLD, REQUEST_STATE_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.tasks.named_plans import NamedPlans
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.version import VERSION


@record
class Settings:
    """The settings of a Lambda function.

    `stream_arn` is set where the function reads the table's stream while it waits, `tenant_role` where it gives runs
    credentials of their tenants; `inline_function` runs the code of the features that `catalogue` lists, and
    `tools_function` that of tasks.  `about` are further fields of `serverInfo`.  Where it `isolates_tenants`, what runs
    adopters' code is one tenant's alone.
    `origins` are those of browsers that may call, the server's own among them: it serves the console.
    `metadata_url` is where clients find the issuers, and `hides_tools` whether callers are listed only the tools that
    they have the scopes for.  `audit_groups` are the log groups that have audit records, which are kept for `log_kept`;
    `audit_rule` has these anchored each minute while it is enabled.
    `notifications` are where those of approvals are sent, and as whose: `bus`, `server` and `console`.
    `operators` are those who may see which tenants there are; without them nobody may.
    `shown_log_groups` are those that operators are led to for a task.
    """

    table_name: str
    payload_bucket: str
    machines: Mapping[str, str] = field(default_factory=dict)
    catalogue: Path | None = None
    inline_function: str = ""
    tools_function: str = ""
    stream_arn: str | None = None
    tenant_role: str | None = None
    isolates_tenants: bool = False
    max_hold: timedelta = MAX_HOLD
    request_state_lifetime: timedelta = REQUEST_STATE_LIFETIME
    origins: frozenset[str] = frozenset()
    server_name: str = "mcp-task-server"
    server_version: str = VERSION
    about: Mapping[str, Any] = field(default_factory=dict)
    instructions: str = ""
    page_size: int = PAGE_SIZE
    plans: NamedPlans = field(default_factory=NamedPlans)
    scopes: StageScopes = field(default_factory=StageScopes)
    hides_tools: bool = False
    metadata_url: str = ""
    audit_groups: Sequence[str] = ()
    audit_rule: str = ""
    log_kept: timedelta = timedelta()
    notifications: Mapping[str, str] = field(default_factory=dict)
    operators: Mapping[str, Any] = field(default_factory=dict)
    shown_log_groups: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Read the environment; raises `KeyError` or `ValueError`, which name what is missing or wrong."""

        def seconds(name: str, default: timedelta) -> timedelta:
            return timedelta(seconds=float(environment[name])) if name in environment else default

        base = Plan(
            active_tasks=int(environment.get("MAX_ACTIVE_TASKS", MAX_ACTIVE_TASKS)),
            running_tasks=int(environment.get("MAX_RUNNING_TASKS", MAX_RUNNING_TASKS)),
        )
        catalogue = environment.get("CATALOGUE")
        return cls(
            table_name=environment["TABLE_NAME"],
            payload_bucket=environment["PAYLOAD_BUCKET"],
            machines=json.loads(environment.get("MACHINES", "{}")),
            catalogue=Path(catalogue) if catalogue else None,
            inline_function=environment.get("INLINE_FUNCTION", ""),
            tools_function=environment.get("TOOLS_FUNCTION", ""),
            stream_arn=environment.get("STREAM_ARN"),
            tenant_role=environment.get("TENANT_ROLE"),
            isolates_tenants=environment.get("TOOL_ISOLATION") == "tenant",
            max_hold=seconds("MAX_HOLD_SECONDS", MAX_HOLD),
            request_state_lifetime=seconds("REQUEST_STATE_LIFETIME_SECONDS", REQUEST_STATE_LIFETIME),
            origins=_origins(environment.get("ALLOWED_ORIGINS", ""), environment.get("METADATA_URL", "")),
            server_name=environment.get("SERVER_NAME", "mcp-task-server"),
            server_version=environment.get("SERVER_VERSION") or VERSION,
            about=json.loads(environment.get("SERVER_ABOUT", "{}")),
            instructions=environment.get("INSTRUCTIONS", ""),
            page_size=int(environment.get("PAGE_SIZE", PAGE_SIZE)),
            plans=NamedPlans.of(json.loads(environment.get("PLANS", "{}")), base),
            scopes=StageScopes.of(json.loads(environment.get("REQUIRED_SCOPES", "{}"))),
            hides_tools=environment.get("HIDE_TOOLS") == "1",
            metadata_url=environment.get("METADATA_URL", ""),
            audit_groups=tuple(json.loads(environment.get("AUDIT_LOG_GROUPS", "[]"))),
            audit_rule=environment.get("AUDIT_RULE", ""),
            log_kept=timedelta(days=int(environment.get("LOG_RETENTION_DAYS", 0))),
            notifications=json.loads(environment.get("NOTIFICATIONS", "{}")),
            operators=json.loads(environment.get("OPERATORS", "{}")),
            shown_log_groups=tuple(json.loads(environment.get("SHOWN_LOG_GROUPS", "[]"))),
            limits=Limits(
                default_ttl=seconds("DEFAULT_TTL_SECONDS", DEFAULT_TTL),
                longest_ttl=seconds("MAX_TTL_SECONDS", MAX_TTL),
            ),
        )


@record
class ToolSettings:
    """The settings of a Lambda function that runs adopters' code; `host_function` is what it may invoke."""

    tools_module: str
    host_function: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Read the environment; raises `KeyError`, which names what is missing."""
        return cls(tools_module=environment["TOOLS_MODULE"], host_function=environment.get("HOST_FUNCTION", ""))


def _origins(allowed: str, metadata_url: str) -> frozenset[str]:
    """Return the allowed origins with that of the server, which the address of its metadata begins with."""
    scheme, separator, rest = metadata_url.partition("://")
    own = f"{scheme}{separator}{rest.partition('/')[0]}"
    return frozenset(filter(None, [*allowed.split(","), own]))
