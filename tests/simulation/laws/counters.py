"""What must hold of counters: each number is the sum of what tasks hold, of those deleted alive until it is released.

"Every number is the sum of `Task.holding`."  -- mcp_tasks/adapters/dynamodb/counting.py
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp_tasks.security.tenancy import tenant_of

if TYPE_CHECKING:
    from tests.simulation.world import World

Numbers = Counter[tuple[str, int]]


def check_counters(world: "World") -> None:
    """Demand that tenants and subjects are counted as many active, running, queued and suspended tasks as they have.

    Of a tenant that is erased, what is left of its counters is gone before the stream has told of its tasks.
    """
    counted, held = world.store.counted() or {}, _held(world)
    for owner, numbers in counted.items():
        if tenant_of(owner) != world.erased:
            wrong = {name: (count, held[owner][name]) for name, count in numbers.items() if count != held[owner][name]}
            told = ", ".join(
                f"{name} at {counter}: {count}, not {right}" for (name, counter), (count, right) in wrong.items()
            )
            world.demand(not wrong, f"{owner} is counted {told}")


def _held(world: "World") -> Mapping[str, Numbers]:
    found: defaultdict[str, Numbers] = defaultdict(Counter)
    for owner_key, task in (*world.store.tasks(), *world.store.unreleased()):
        for owner in (owner_key, tenant_of(owner_key)):
            for name, counter in (("running", task.holding.slot), ("queued", task.holding.queue)):
                if counter is not None:
                    found[owner][name, counter if owner != owner_key else 0] += 1
            found[owner]["active", 0] += task.holding.active
            found[owner]["suspended", 0] += task.holding.suspended
    return found
