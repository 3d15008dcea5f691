"""What a tenant has stored, which is held against its plan after each message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, Final

from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import is_final
from tests.kit import ADA, NOON
from tests.protocol.harness import Harness

PLANS: Final[tuple[Mapping[str, int], ...]] = (
    {"active_tasks": 3},
    {"active_tasks": 200, "arguments_bytes": 35},
    {"active_tasks": 200, "stored_bytes": 300},
    {"active_tasks": 200, "suspended_tasks": 1},
    {"active_tasks": 200, "bytes_per_day": 100},
)
"""Each of them is reached within a batch."""


@dataclass(slots=True)
class Stored:
    """The sizes of the arguments and results of a tenant's tasks, of all that it `sent`, and what its plan leaves.

    Nothing expires in the hours that clients may wait in a batch.
    """

    harness: Harness
    plan: Mapping[str, int]
    arguments: dict[str, int] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    sent: int = 0
    suspended: int = 0

    @classmethod
    def under_some_plan(cls, harness: Harness, random: Random) -> "Stored":
        """Give all tenants one of the plans."""
        plan = random.choice(PLANS)
        harness.limit(**plan, subject_share=1)
        return cls(harness, plan)

    def check(self) -> None:
        """Fail where the last message had more stored than the plan leaves; what is stored counts for the next one."""
        tasks = self.harness.ports.tasks.page(ADA.owner_key, before=None, limit=1000)
        live = sum(not is_final(task) for task in tasks)
        self._demand(live <= self._most("active_tasks"), f"{live} live tasks are stored")
        self._check_started([task for task in tasks if task.id not in self.arguments])
        self.results |= {
            task.id: self._result(task) for task in tasks if is_final(task) and task.id not in self.results
        }
        self.suspended = sum(task.state is State.INPUT_REQUIRED for task in tasks)

    def _check_started(self, started: list[Task]) -> None:
        if not started:
            return
        waiting = self.suspended < self._most("suspended_tasks")
        self._demand(waiting, f"a task is started while {self.suspended} wait for input")
        for task in started:
            arguments = self.harness.ports.tasks.arguments(ADA.owner_key, task.id)
            self.arguments[task.id] = size_of(arguments)
            # The name of the tool counts as well for what may be sent.
            sent = size_of([task.tool, arguments])
            self._demand(sent <= self._most("arguments_bytes"), f"arguments of {sent} bytes are stored")
            self.sent += sent
        days = 1 + (self.harness.clock.now() - NOON) / timedelta(days=1)
        much = f"{self.sent} bytes of arguments are stored in {days:.2f} days"
        self._demand(self.sent <= days * self._most("bytes_per_day"), much)
        kept = sum(self.arguments.values()) + sum(self.results.values())
        self._demand(kept <= self._most("stored_bytes"), f"a task is started, and {kept} bytes are stored")

    def _result(self, task: Task) -> int:
        try:
            return size_of(document_of(self.harness.ports.tasks.outcome(ADA.owner_key, task.id)))
        except TaskNotFound:
            # It was cancelled.
            return 0

    def _most(self, limit: str) -> float:
        return self.plan.get(limit, float("inf"))

    def _demand(self, holds: bool, what: Any) -> None:
        assert holds, f"{what}, beyond the plan {dict(self.plan)}"
