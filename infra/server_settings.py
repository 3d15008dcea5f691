"""The settings of a server, each with the value that it has unless it is given another one."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any

from aws_cdk import Duration, RemovalPolicy
from aws_cdk.aws_logs import RetentionDays

from mcp_tasks.limits.aws import MAX_OPERATORS_BYTES, MAX_PLANS_BYTES
from mcp_tasks.limits.operators import check_operators
from mcp_tasks.limits.plans import DEFAULT, check_plans
from mcp_tasks.limits.tenants import (
    DEFAULT_TTL,
    MAX_ACTIVE_TASKS,
    MAX_RUNNING_TASKS,
    MAX_TTL,
    PAGE_SIZE,
    REQUESTS_PER_SECOND,
)
from mcp_tasks.limits.waits import REQUEST_STATE_LIFETIME

from .page_settings import check_page
from .presentation import Presentation
from .setting_kinds import check_kind
from .tool_isolation import SHARED, VALUES

SECOND = timedelta(seconds=1)
PACES = (
    *(f"Canary10Percent{minutes}Minutes" for minutes in (5, 10, 15, 30)),
    *(f"Linear10PercentEvery{period}" for period in ("1Minute", "2Minutes", "3Minutes", "10Minutes")),
)
CHECKED_BELOW = frozenset({"allowed_origins", "alarm_topic", "tenant_share", "trace_rate"})
"""Settings whose sentence says more than of which kind they are."""
KINDS = ("call", "read", "cancel", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What a server tells its clients, how much it grants them, and how its resources are kept.

    `stage` is the API's stage, which its address ends with.  `public_url` is where clients find the API when that is
    not the gateway's own address; `{api}` in it is replaced by the API's id.  `disable_execute_api_endpoint` has nobody
    reach the API by the gateway's own address.  Without a `server_version` the server
    reports the version of this package.  `catalogue` is the path of the file from which functions list tools without
    importing them.  `plans` are those of tenants by name, each with the fields of `docs/tenants.md`.  `tenant_share` is
    the part of `requests_per_second` that one tenant may use; at 1 it limits nobody, and prepares a deploy that does.
    `log_level` is of what code writes, `platform_log_level` of what Lambda writes about each invocation, and
    `execution_log_level` of what Step Functions writes about each execution.  `trace_rate` is the part of requests and
    executions that X-Ray traces beyond one in a second: without it 5 %, by its rule for the account; with 0 it is off.
    `canary` is the pace at which CodeDeploy moves requests to the versions of a deploy, by the name that it has there.
    `alarm_topic` is the ARN of an SNS topic that alarms tell; without one they are only shown.
    With `snap_start`, functions that clients wait for start from snapshots, which cost money by the second.

    `page_client_id` is the id of a public client at the first of the issuers, by which the console at the API's root
    logs people in; `page_origins` are those beside the issuer's own from which its login fetches, such as the domain of
    a user pool's token endpoint.

    `operators` are those who may see which tenants there are, with their plans and use: {"tenant": "operations",
    "scope": "admin", "subjects": []}.  Nobody may without it.

    `required_scopes` are what every request of a kind needs, beside the scopes of the tool or resource: {"call": [],
    "read": [], "cancel": [], "answer": []}.  With `hide_tools`, `tools/list` leaves out the tools that a caller lacks
    scopes for.
    """

    stage: str = "prod"
    public_url: str = ""
    disable_execute_api_endpoint: bool = False
    allowed_origins: Sequence[str] = ()
    server_name: str = "mcp-task-server"
    server_version: str = ""
    server_title: str = ""
    server_description: str = ""
    server_website: str = ""
    server_icons: Sequence[Mapping[str, Any]] = ()
    instructions: str = ""
    catalogue: str = "/opt/catalogue.json"
    page_size: int = PAGE_SIZE
    page_client_id: str = ""
    page_origins: Sequence[str] = ()
    required_scopes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    hide_tools: bool = False
    operators: Mapping[str, Any] = field(default_factory=dict)
    max_active_tasks: int = MAX_ACTIVE_TASKS
    max_running_tasks: int = MAX_RUNNING_TASKS
    default_ttl_seconds: int = DEFAULT_TTL // SECOND
    max_ttl_seconds: int = MAX_TTL // SECOND
    request_state_lifetime_seconds: int = REQUEST_STATE_LIFETIME // SECOND
    requests_per_second: int = REQUESTS_PER_SECOND
    tenant_share: float | None = None
    plans: Mapping[str, Any] = field(default_factory=dict)
    authorize_concurrency: int | None = None
    serve_concurrency: int | None = None
    await_concurrency: int | None = None
    run_concurrency: int | None = None
    tool_isolation: str = SHARED
    canary: str = ""
    snap_start: bool = False
    log_level: str = "INFO"
    platform_log_level: str = "WARN"
    execution_log_level: str = "ERROR"
    trace_rate: float | None = None
    log_retention: str = "TWO_WEEKS"
    alarm_topic: str = ""
    keep_data: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` for what would deploy and then not work; its text says what to write instead."""
        for each in fields(self):
            if each.name not in CHECKED_BELOW:
                check_kind(each.name, each.type, getattr(self, each.name))
        _check_origins(self.allowed_origins)
        if self.log_retention not in RetentionDays.__members__:
            raise ValueError(
                f"log_retention is a name in RetentionDays of the CDK, such as TWO_WEEKS, not {self.log_retention!r}"
            )
        _check_levels(self.platform_log_level, self.execution_log_level)
        _check_rate(self.trace_rate)
        _check_topic(self.alarm_topic)
        if self.tool_isolation not in VALUES:
            raise ValueError(f"tool_isolation is {' or '.join(VALUES)}, not {self.tool_isolation!r}")
        if self.snap_start and self.tool_isolation != SHARED:
            raise ValueError(
                "snap_start is set, and Lambda takes no snapshot of a function whose environments are of one tenant: "
                "leave out snap_start, or tool_isolation"
            )
        if self.canary and self.canary not in PACES:
            raise ValueError(f"canary is one of {', '.join(PACES)}, not {self.canary!r}")
        _check_share(self.tenant_share, self.requests_per_second)
        check_plans(self.plans)
        _check_size(len(self.written_plans))
        _check_scopes(self.required_scopes)
        check_operators(self.operators)
        if len(json.dumps(dict(self.operators))) > MAX_OPERATORS_BYTES:
            raise ValueError(f"operators take more than {MAX_OPERATORS_BYTES} bytes: give them a tenant of their own")
        check_page(self.page_client_id, self.page_origins)
        _ = self.presentation

    @property
    def presentation(self) -> Presentation:
        """The settings that clients are shown."""
        return Presentation.of({field.name: getattr(self, field.name) for field in fields(Presentation)})

    @property
    def written_plans(self) -> str:
        """The plans of tenants as functions are given them.

        No tenant holds more than half of the connections that can be held, unless its plan says so.
        """
        share = {} if self.await_concurrency is None else {"held_waits": max(self.await_concurrency // 2, 1)}
        default = {**share, **self.plans.get(DEFAULT, {})}
        plans = {**self.plans, DEFAULT: default} if default else self.plans
        return json.dumps(plans, separators=(",", ":"))

    @property
    def max_ttl(self) -> Duration:
        """The longest that a task may be kept."""
        return Duration.seconds(self.max_ttl_seconds)

    @property
    def removal(self) -> RemovalPolicy:
        """What happens to tables and buckets when the stack is deleted."""
        return RemovalPolicy.RETAIN if self.keep_data else RemovalPolicy.DESTROY

    @property
    def traced(self) -> bool:
        """Whether X-Ray traces anything."""
        return self.trace_rate != 0

    @property
    def of_functions(self) -> Mapping[str, Any]:
        """What all functions log and trace."""
        levels = {"log_level": self.log_level, "platform_log_level": self.platform_log_level}
        return {**levels, "retention": self.retention, "traced": self.traced}

    @property
    def retention(self) -> RetentionDays:
        """How long logs are kept."""
        return RetentionDays[self.log_retention]


def _check_share(share: Any, rate: float) -> None:
    if share is None:
        return
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise ValueError(f"tenant_share is a number above 0, and 1 at most, such as 0.5, not {share!r}")
    if share * rate < 1:
        raise ValueError(f"tenant_share is {share}, of {rate} requests_per_second: a tenant needs one request a second")


def _check_levels(platform: str, executions: str) -> None:
    for name, level, levels in (
        ("platform_log_level", platform, ("DEBUG", "INFO", "WARN")),
        ("execution_log_level", executions, ("ALL", "ERROR", "FATAL", "OFF")),
    ):
        if level not in levels:
            raise ValueError(f"{name} is one of {', '.join(levels)}, not {level!r}")


def _check_rate(rate: Any) -> None:
    if rate is not None and (isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1):
        raise ValueError(f"trace_rate is a number from 0 to 1, such as 0.01, not {rate!r}")


def _check_topic(topic: Any) -> None:
    # CloudWatch tells no FIFO topic, whose name has a dot.
    if topic != "" and not (isinstance(topic, str) and re.fullmatch(r"arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+", topic)):
        raise ValueError(
            f"alarm_topic is the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:111122223333:alarms, not {topic!r}"
        )


def _check_scopes(required: Mapping[str, Any]) -> None:
    for kind, scopes in required.items():
        if kind not in KINDS:
            raise ValueError(f"required_scopes has {kind!r}: requests are of the kinds {', '.join(KINDS)}")
        if isinstance(scopes, str):
            raise ValueError(f"required_scopes: {kind} is a list, such as [{scopes!r}], not {scopes!r}")
        for scope in scopes:
            # RFC 6749, 3.3: what can stand between quotes as it is.
            if not isinstance(scope, str) or not re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", scope):
                raise ValueError(f"required_scopes: {kind} has {scope!r}, which is no scope")


def _check_origins(patterns: Iterable[Any]) -> None:
    # A string is a sequence too, of its characters: with a "*" among them, every origin would be allowed.
    if isinstance(patterns, str):
        raise ValueError(f"allowed_origins is a list, such as [{patterns!r}], not {patterns!r}")
    for pattern in patterns:
        if not isinstance(pattern, str) or not re.fullmatch(r"\*|null|[^/,\s]+://[^/,\s]*", pattern):
            raise ValueError(
                f"allowed_origins has {pattern!r}, which no browser names as an origin: write it as "
                "https://app.example.org, without a path or a slash at the end"
            )


def _check_size(size: int) -> None:
    if size > MAX_PLANS_BYTES:
        raise ValueError(
            f"plans take {size} bytes, of {MAX_PLANS_BYTES}: name fewer, and store what differs for single tenants by "
            "make tenant TENANT=name SET='...'"
        )
