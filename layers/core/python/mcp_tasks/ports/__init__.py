"""The ports: what the core needs from outside, one role a module; `adapters/` implements them, for AWS and in memory.

Every read of a task takes its owner's key (`Caller.owner_key`), so that no code can read
another tenant's task by mistake.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp_tasks.ports.buckets import Buckets
from mcp_tasks.ports.change_feed import ChangeFeed
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.durations import ToolDurations
from mcp_tasks.ports.executor import Executor
from mcp_tasks.ports.held_waits import HeldWaits
from mcp_tasks.ports.keys import Keys
from mcp_tasks.ports.plans import Plans
from mcp_tasks.ports.storage import Storage
from mcp_tasks.ports.store import Backlog, Queue, TaskStore
from mcp_tasks.ports.tenant_access import TenantAccess
from mcp_tasks.ports.waiter import Waiter
from mcp_tasks.records import record

# Few requests are about an inbox, and every cold start would import it.
if TYPE_CHECKING:
    from mcp_tasks.ports.console_links import ConsoleLinks
    from mcp_tasks.ports.inbox import Inbox
    from mcp_tasks.ports.notifier import Notifier
    from mcp_tasks.ports.tenants import Tenants


@record
class Ports:
    """The implementations of all ports, for `wiring`.

    There is no `tenant_access` where tenants are granted nothing, no `durations` where nobody measures any, no
    `notifier` where nobody is told of approvals, no `tenants` where a stage has no operators, and no `console_links`
    where nothing that runs tasks has pages for them.
    """

    clock: Clock
    tasks: TaskStore
    queue: Queue
    backlog: Backlog
    inbox: "Callable[[], Inbox]"
    executor: Executor
    waiter: Waiter
    storage: Storage
    change_feed: ChangeFeed
    keys: Keys
    plans: Plans
    buckets: Buckets
    held_waits: HeldWaits
    tenant_access: TenantAccess | None = None
    durations: ToolDurations | None = None
    notifier: "Notifier | None" = None
    tenants: "Callable[[], Tenants] | None" = None
    console_links: "Callable[[], ConsoleLinks] | None" = None
