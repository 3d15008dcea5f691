"""The executor of tasks without an execution: their runs are events of Lambda, which may be lost or delivered twice.

So a run takes a lease in the table before it begins (`tasks/run_lease.py`), and the sweep sends the next event when no
run holds it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from mcp_tasks.adapters.stepfunctions import call
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Execution
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.run_lease import is_held, is_spent


@record
class DirectExecutor:
    """The `Executor` on events of the function that runs tools, which may have an environment for each tenant.

    `client` makes the client of Lambda, and is called only when there is something to do.
    """

    client: Callable[[], Any]
    function: str
    tickets: Tickets
    clock: Clock
    isolates_tenants: bool = False

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Send an event, whose run loads the arguments; it ends at once where another run is at work."""
        ticket = self.tickets.for_start(owner_key, task.id, until=task.expires_at)
        event = {"ticket": ticket, "task": task.id, "attempt": 1, "broken": "error"}
        whose = {"TenantId": Caller.of_owner_key(owner_key).tenant_tag} if self.isolates_tenants else {}
        call(
            self.client(),
            "invoke",
            FunctionName=self.function,
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
            **whose,
        )

    def stop(self, task: Task, reason: str) -> None:
        """Do nothing: a run learns that its task is final from its host."""

    def resume(self, task: Task) -> None:
        """Do nothing: such a task is never suspended."""

    def describe(self, task: Task) -> Execution:
        """Return the state of the task's lease: absent if there is none, since queued events cannot be listed."""
        now = self.clock.now()
        if is_held(task, now):
            return Execution.RUNNING
        return Execution.ENDED if is_spent(task, now) else Execution.ABSENT

    def running(self) -> Iterable[Collection[str]]:
        """Yield nothing: `describe` reads the lease of each task."""
        return ()
