"""Writes a task as started where a slot is free, and as queued where none is."""

from collections.abc import Callable, Sequence

from mcp_tasks.adapters.dynamodb.counting import counting, kind_of, placements, slots_at
from mcp_tasks.adapters.dynamodb.items import Item, count_in, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan


def place(
    owner_key: str,
    before: Task | None,
    after: Task,
    plan: Plan,
    *,
    table: Table,
    write: Callable[[Task, Sequence[Item]], Task],
) -> Task:
    """Return what `write` does with the first placement of a task that can be written, and with the actions that count.

    The transaction begins with the task, and these actions follow.  Raises `ConditionFailed` where another condition
    did not hold, and `TooManyTasks` where the subject has its share of active tasks.
    """
    left = list(placements(after, plan))
    first = left[0]
    while True:
        placed = left.pop(0)
        # A read before each but the first: a transaction that fails costs ten times as much and more.
        if placed is not first and not _has_slot(table, tenant_of(owner_key), placed, plan):
            continue
        counts = counting(owner_key, before, placed, plan, now=table.clock.now())
        try:
            return write(placed, counts)
        except ConditionFailed as failed:
            refusing = {kind_of(counts[at - 1]): at for at in failed.failed if 1 <= at <= len(counts)}
            if not refusing or 0 in failed.failed:
                raise
            if "using" in refusing:
                if not _may_be_active(failed.stored(refusing["using"]), plan) and placed.holding.active and not before:
                    raise TooManyTasks(plan.active_tasks, share=plan.share_of(plan.active_tasks)) from failed
                # It runs its share, or others of its tasks are waiting: no other counter changes that.
                left = left[-1:]
            if not left:
                raise


def _has_slot(table: Table, tenant: str, placed: Task, plan: Plan) -> bool:
    counter = placed.holding.slot
    if counter is None:
        return True
    stored = table.get(primary_key(tenant, "slots", counter)) or {}
    # Whoever is new to a counter may not run there while others wait.
    return count_in(stored, "running") < slots_at(counter, plan) and count_in(stored, "queued") == 0


def _may_be_active(using: Item, plan: Plan) -> bool:
    return count_in(using, "active") < plan.share_of(plan.active_tasks)
