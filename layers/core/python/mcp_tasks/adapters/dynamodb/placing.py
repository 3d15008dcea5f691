"""Writes a task as started where a slot is free, and as queued where none is."""

from collections.abc import Callable, Sequence
from datetime import datetime

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.slots import counting, kind_of, placements
from mcp_tasks.adapters.dynamodb.table import ConditionFailed
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan


def place(
    owner_key: str,
    before: Task | None,
    after: Task,
    plan: Plan,
    *,
    now: datetime,
    write: Callable[[Task, Sequence[Item]], Task],
) -> Task:
    """Return what `write` does with the first placement of a task that can be written, and with the actions that count.

    The transaction begins with the task, and these actions follow.  Raises `ConditionFailed` where another condition
    did not hold, and `TooManyTasks` where the subject has its share of active tasks.
    """
    left = list(placements(after, plan))
    while True:
        placed = left.pop(0)
        counts = counting(owner_key, before, placed, plan, now=now)
        try:
            return write(placed, counts)
        except ConditionFailed as failed:
            refusing = {at for at in failed.failed if 1 <= at <= len(counts)}
            if not refusing or 0 in failed.failed:
                raise
            for at in refusing:
                if kind_of(counts[at - 1]) == "using":
                    if not _may_be_active(failed.stored(at), plan) and placed.holding.active and before is None:
                        raise TooManyTasks(plan.active_tasks, share=plan.share_of(plan.active_tasks)) from failed
                    # It runs its share, or others of its tasks are waiting: no other counter changes that.
                    left = left[-1:]
            if not left:
                raise


def _may_be_active(using: Item, plan: Plan) -> bool:
    return int(using.get("active", {"N": "0"})["N"]) < plan.share_of(plan.active_tasks)
