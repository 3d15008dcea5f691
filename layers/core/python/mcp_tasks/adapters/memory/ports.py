"""Wires all ports in memory around an executor."""

from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.change_feed import MemoryChangeFeed
from mcp_tasks.adapters.memory.durations import MemoryDurations
from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.adapters.memory.notifier import MemoryNotifier
from mcp_tasks.adapters.memory.storage import MemoryStorage
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.memory.tenants import MemoryTenants
from mcp_tasks.adapters.memory.threads import ConditionWaiter
from mcp_tasks.adapters.own_credentials import OwnCredentials
from mcp_tasks.ports import Ports
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Executor
from mcp_tasks.ports.waiter import Waiter
from mcp_tasks.tasks.plan import Plan


def memory_ports(
    clock: Clock,
    executor: Executor,
    *,
    secret: bytes,
    store: MemoryTaskStore | None = None,
    waiter: Waiter | None = None,
    plan: Plan | None = None,
    notifier: MemoryNotifier | None = None,
) -> Ports:
    """Return the ports of one process; `secret` signs the values that clients carry, and every tenant has the `plan`.

    The default waiter wakes at each change in the store.
    """
    store = store or MemoryTaskStore(clock)
    return Ports(
        clock=clock,
        tasks=store,
        queue=store,
        backlog=store,
        inbox=lambda: store.inbox,
        executor=executor,
        waiter=waiter or ConditionWaiter(store.changed),
        storage=MemoryStorage(clock),
        change_feed=MemoryChangeFeed(clock),
        keys=MemoryKeys(secret),
        plans=FixedPlans(plan=plan or Plan()),
        tenant_access=OwnCredentials(),
        buckets=MemoryBuckets(clock),
        held_waits=MemoryHeldWaits(),
        durations=MemoryDurations(),
        notifier=notifier,
        tenants=lambda: MemoryTenants(store),
    )
