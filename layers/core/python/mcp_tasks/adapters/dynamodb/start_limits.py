"""Limits of a plan on sums over several items, which no transaction can check: they are read before a task starts."""

from mcp_tasks.adapters.dynamodb.counters import counted
from mcp_tasks.adapters.dynamodb.items import Item, count_in, primary_key
from mcp_tasks.adapters.dynamodb.stored_bytes import StoredBytes
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyTasks, TooManyWait
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan


@record
class StartLimits:
    """Reads what the tasks of a tenant hold where its plan has a limit for that, and nothing where it has none."""

    table: Table

    def counting(self, owner_key: str, task: Task, size: int, plan: Plan) -> list[Item]:
        """Return the actions that count a new task with `size` bytes of arguments.

        Raises `LimitReached` and `ArgumentsTooLarge` where the tenant, or its subject, may not start it.
        """
        self._check_waiting(owner_key, plan)
        return StoredBytes(table=self.table).starting(owner_key, task, size, plan)

    def check_active(self, owner_key: str, plan: Plan) -> None:
        """Raise `TooManyTasks` where the tenant, or its subject, has as many active tasks as it may.

        The transaction that starts the task checks the same, after what was put for it.
        """
        if counted(self.table, tenant_of(owner_key), "active") >= plan.active_tasks:
            raise TooManyTasks(plan.active_tasks)
        share = plan.share_of(plan.active_tasks)
        if count_in(self.table.get(primary_key(owner_key, "using")) or {}, "active") >= share:
            raise TooManyTasks(plan.active_tasks, share=share)

    def lost_room(self, failed: ConditionFailed) -> bool:
        """Return whether others took the room for a new task, so that there may be none, or as well some elsewhere."""
        return any(failed.stored(at).get("SK", {"S": ""})["S"].startswith("kept#") for at in failed.failed)

    def _check_waiting(self, owner_key: str, plan: Plan) -> None:
        limit = plan.suspended_tasks
        if limit is None:
            return
        if self.suspended(tenant_of(owner_key)) >= limit:
            raise TooManyWait(limit, whose="tenant")
        share = plan.share_of(limit)
        if count_in(self.table.get(primary_key(owner_key, "using")) or {}, "suspended") >= share:
            raise TooManyWait(share, whose="subject")

    def suspended(self, tenant: str) -> int:
        """Return how many tasks of a tenant wait for input."""
        return counted(self.table, tenant, "suspended")
