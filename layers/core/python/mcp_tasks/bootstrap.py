"""Makes services from settings, on AWS."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from mcp_tasks import aws
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.durations import DynamoDurations
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.plans import DynamoPlans
from mcp_tasks.adapters.dynamodb.queue import DynamoQueue
from mcp_tasks.adapters.dynamodb.storage import TableStorage
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.executor_of_task import ExecutorOfTask
from mcp_tasks.adapters.polling import PollingWaiter
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.engine.current_call import timing
from mcp_tasks.engine.current_run import mark_records
from mcp_tasks.engine.subscriptions import Subscriptions
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import Executor
from mcp_tasks.ports.keys import use_audit_keys
from mcp_tasks.ports.tenant_access import TenantAccess
from mcp_tasks.ports.waiter import Waiter
from mcp_tasks.run_inline.client import InlineClient, caller_tag
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.model import DIRECT_MACHINE
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring

if TYPE_CHECKING:
    from mcp_tasks.adapters.aws_console import AwsConsole
    from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
    from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
    from mcp_tasks.adapters.eventbridge import EventBridgeNotifier
    from mcp_tasks.audit.rounds import Rounds
    from mcp_tasks.engine.approval_notices import ApprovalNotices
    from mcp_tasks.engine.execution_outcomes import ExecutionOutcomes
    from mcp_tasks.engine.progress_reports import ProgressReports
    from mcp_tasks.engine.reconciler import Reconciler
    from mcp_tasks.run_host.forward import Forward
    from mcp_tasks.run_host.server import HostServer
    from mcp_tasks.security.operators import Operators


def server(settings: Settings) -> Server:
    """Wire what serves MCP requests."""
    return wiring(settings).server(
        features(settings),
        name=settings.server_name,
        version=settings.server_version,
        about=settings.about,
        instructions=settings.instructions or None,
        origins=settings.origins,
        page_size=settings.page_size,
        max_hold=settings.max_hold,
        request_state_lifetime=settings.request_state_lifetime,
        hides_tools=settings.hides_tools,
        metadata_url=settings.metadata_url or None,
    )


def host_server(settings: Settings) -> "HostServer":
    """Wire what hosts the runs of tools."""
    return wiring(settings, aws.MORE_RETRIES).host_server(features(settings).tools)


def forward(settings: Settings, tools_function: str) -> "Forward":
    """Wire what runs tools for executions without a ticket."""
    # Saves 1 ms of every other function's cold start.
    from mcp_tasks.run_host.forward import Forward, tenant_of

    invoke = aws.invoking(tools_function, aws.TO_RUN, tenant_of if settings.isolates_tenants else None)
    return Forward(tickets=wiring(settings).tickets(), invoke=invoke)


def suspension(settings: Settings) -> Suspension:
    """Wire what suspends tasks that need input."""
    return wiring(settings).suspension()


def subscriptions(settings: Settings) -> Subscriptions:
    """Wire what notifies clients of changes, for an adopter's own functions."""
    return wiring(settings).subscriptions()


def reconciler(settings: Settings) -> "Reconciler":
    """Wire what repeats the side effects of writes whose process died."""
    return wiring(settings).reconciler()


def approval_notices(settings: Settings) -> "ApprovalNotices":
    """Wire what tells people of approvals that wait for them."""
    return wiring(settings).approval_notices()


def progress_reports(settings: Settings) -> "ProgressReports":
    """Wire what reports progress for the states of tasks' executions."""
    return wiring(settings).progress_reports()


def execution_outcomes(settings: Settings) -> "ExecutionOutcomes":
    """Wire what records outcomes from executions that ended."""
    return wiring(settings).execution_outcomes(features(settings).tools)


def rounds(settings: Settings) -> "Rounds":
    """Wire what anchors the audit records."""
    # Saves 20 ms of every other function's cold start: it signs.
    from mcp_tasks.adapters.cloudwatch_logs import AuditLog
    from mcp_tasks.adapters.dynamodb.anchors import DynamoAnchors
    from mcp_tasks.adapters.eventbridge_rule import EventBridgeRule
    from mcp_tasks.audit.anchoring import Anchoring
    from mcp_tasks.audit.rounds import Rounds

    mark_records()
    table = Table(client=aws.client("dynamodb", aws.MORE_RETRIES), name=settings.table_name, clock=aws.clock)
    log = AuditLog(client=lambda: aws.client("logs", aws.MORE_RETRIES), groups=settings.audit_groups)
    anchors, keys = DynamoAnchors(table=table, log_kept=settings.log_kept), DynamoKeys(table, AUDIT_KEYS)
    anchoring = Anchoring(anchors=anchors, read=log.read, clock=aws.clock, find=keys.find)
    rule = EventBridgeRule(client=lambda: aws.client("events", aws.MORE_RETRIES), name=settings.audit_rule)
    return Rounds(anchoring=anchoring, wakefulness=anchors, schedule=rule, clock=aws.clock)


def features(settings: Settings) -> Features:
    """Return the tools, prompts and resources of the catalogue, whose code runs in another function."""
    if settings.catalogue is None:
        raise ValueError("CATALOGUE names no file: there are no tools without it")
    tenant = caller_tag if settings.isolates_tenants else None
    works = InlineClient(invoke=_timed(aws.invoking_once(settings.inline_function, aws.TO_INLINE, tenant)))
    return catalogue.read(settings.catalogue.read_text(), works)


def _timed(invoke: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return the same function, whose time is noted of the request: it is that of an adopter's code."""

    def timed(message: Mapping[str, Any]) -> Any:
        with timing("code_ms", aws.clock.now):
            return invoke(message)

    return timed


def wiring(settings: Settings, network: Config = aws.NETWORK) -> Wiring:
    """Return the wiring of the ports on AWS, for a function whose log records say which release it is of."""
    mark_records()
    ports, operators = aws_ports(settings, network), _operators(settings) if settings.operators else None
    # The console is at the root of the address that has the server's metadata.
    root = settings.metadata_url.partition("/.well-known/")[0]
    console = f"{root}/" if root else ""
    return Wiring(ports=ports, limits=settings.limits, scopes=settings.scopes, operators=operators, console=console)


def _operators(settings: Settings) -> "Operators | None":
    # Saves 1 ms of every cold start where a stage has none.
    from mcp_tasks.security.operators import Operators

    return Operators.of(settings.operators)


def aws_ports(settings: Settings, network: Config = aws.NETWORK) -> Ports:
    """Return the ports on AWS."""
    table = Table(client=aws.client("dynamodb", network), name=settings.table_name, clock=aws.clock)
    keys = DynamoKeys(table=table)
    use_audit_keys(DynamoKeys(table, AUDIT_KEYS))
    tickets = Tickets(signer=Signer(keys=keys, clock=aws.clock))
    payloads = Payloads(client=lambda: aws.client("s3", network), bucket=settings.payload_bucket)
    return Ports(
        clock=aws.clock,
        tasks=DynamoTaskStore(table=table, payloads=payloads),
        queue=DynamoQueue(table=table),
        backlog=DynamoBacklog(table=table),
        inbox=partial(_inbox, table),
        executor=_executor(settings, network, tickets),
        waiter=_waiter(settings, table),
        storage=TableStorage(table=table),
        change_feed=DynamoChangeFeed(table=table),
        keys=keys,
        tenant_access=_tenant_access(settings, network),
        plans=DynamoPlans(PlanItems(table=table), settings.plans),
        buckets=DynamoBuckets(table=table),
        held_waits=DynamoHeldWaits(table=table),
        durations=DynamoDurations(table=table),
        notifier=_notifier(settings, network),
        tenants=cache(partial(_tenants, table)) if settings.operators else None,
        console_links=partial(_console_links, settings) if settings.shown_log_groups else None,
    )


def _console_links(settings: Settings) -> "AwsConsole":
    # Saves 1 ms of every cold start, as above.
    from mcp_tasks.adapters.aws_console import AwsConsole

    return AwsConsole(machines=settings.machines, log_groups=settings.shown_log_groups)


def _tenants(table: Table) -> "DynamoTenants":
    # Saves 1 ms of every cold start, as above.
    from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants

    return DynamoTenants(table)


def _inbox(table: Table) -> "DynamoInbox":
    # Saves 2 ms of every cold start, as few requests are about an inbox.
    from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox

    return DynamoInbox(table=table)


def _notifier(settings: Settings, network: Config) -> "EventBridgeNotifier | None":
    if not settings.notifications:
        return None
    # Saves 1 ms in all functions but the one that tells people.
    from mcp_tasks.adapters.eventbridge import EventBridgeNotifier

    return EventBridgeNotifier(client=partial(aws.client, "events", network), **settings.notifications)


def _executor(settings: Settings, network: Config, tickets: Tickets) -> Executor:
    machines = StepFunctionsExecutor(
        client=partial(aws.client, "stepfunctions", network), machines=settings.machines, tickets=tickets
    )
    direct = partial(_direct_executor, settings, network, tickets)
    return ExecutorOfTask(machines={DIRECT_MACHINE}, executor=direct, others=machines)


def _direct_executor(settings: Settings, network: Config, tickets: Tickets) -> Executor:
    # Saves 1 ms of every cold start where no tool is without a state machine.
    from mcp_tasks.adapters.direct import DirectExecutor

    return DirectExecutor(
        client=partial(aws.client, "lambda", network),
        function=settings.tools_function,
        tickets=tickets,
        clock=aws.clock,
        isolates_tenants=settings.isolates_tenants,
    )


def _tenant_access(settings: Settings, network: Config) -> TenantAccess | None:
    if (role := settings.tenant_role) is None:
        return None
    # Saves 1 ms in all functions but the one that hosts runs.
    from mcp_tasks.adapters.tenant_role import TenantRole

    return TenantRole(client=lambda: aws.client("sts", network), role=role, clock=aws.clock)


def _waiter(settings: Settings, table: Table) -> Waiter:
    if settings.stream_arn is None:
        return PollingWaiter(clock=table.clock)
    # Saves 15 ms in all functions but the one that reads the table's stream.
    from mcp_tasks.adapters.dynamodb.lease import DynamoLease
    from mcp_tasks.adapters.streams.shards import ShardMap
    from mcp_tasks.adapters.streams.tail import TailingWaiter

    shards = ShardMap(client=aws.client("dynamodbstreams", aws.NO_RETRIES), arn=settings.stream_arn, clock=table.clock)
    return TailingWaiter(clock=table.clock, shards=shards, lease=DynamoLease(table=table, name="tail"))
