"""Bugs as a change of working code brings them, by somebody who had not read the simulator."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from mcp_tasks.adapters.dynamodb.items import primary_key, task_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory import inbox
from mcp_tasks.adapters.memory.inbox import MemoryInbox
from mcp_tasks.engine import tool_calls, tool_run
from mcp_tasks.engine.approvals import Approvals, Decided
from mcp_tasks.engine.lifecycle import NO_INITIAL_STATE, TaskService
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.engine.watched_journal import WatchedJournal
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks import model, transitions
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Task
from tests.simulation.planted.plant import Plant, changing
from tests.simulation.traits import TABLE


def _marking_first(launch: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskOperations, owner_key: str, task: Task, arguments: Any) -> None:
        if self.ports.backlog.launched(owner_key, task.id):
            self.ports.executor.start(owner_key, task, arguments)

    return wrong


def _trying(follow: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *images: self.tasks.attempt(lambda: follow(self, *images))


def _keeping_token(changes: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, *more: Any) -> Any:
        right = changes(task, *more)
        return {**right, "task_token": task.task_token or right["task_token"]} if "task_token" in right else right

    return wrong


def _skipping(page: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskService, caller: Any, *, before: str | None, limit: int) -> Any:
        found, more = page(self, caller, before=before, limit=limit + 1)
        return found[:limit], found[-1].id if len(found) > limit else more

    return wrong


def _deaf(right: type[WatchedJournal]) -> type[WatchedJournal]:
    return type("Deaf", (right,), {"signal": property(lambda self: None, lambda self, signal: None)})


def _forgetful(start: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(tasks: Any, call: Any, decision: Any, initial_state: Any = NO_INITIAL_STATE, outcome: Any = None) -> Any:
        return start(tasks, call, decision, NO_INITIAL_STATE if outcome is not None else initial_state, outcome)

    return wrong


def _without_sleep(due_at: property) -> property:
    assert due_at.fget is not None
    right = due_at.fget
    return property(lambda task: right(replace(task, wakes_at=None)))


def _knowing_all(read_recent: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: DynamoTaskStore, owner_key: str, task_id: str) -> Task:
        item = self.table.get(primary_key(owner_key, "task", task_id), consistent=False)
        if item is None:
            raise TaskNotFound(task_id)
        return task_of(item)

    return wrong


def _counting_twice(decide: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Approvals, caller: Any, item_id: str, result: Any, channel: str) -> Decided:
        item = self.find(caller, item_id)
        again = caller.subject in {each.subject for each in item.accepted} and result["action"] == "accept"
        accepted, quorum = len(item.accepted) + 1, item.approval.quorum
        if not again or accepted == quorum:
            right: Decided = decide(self, caller, item_id, result, channel)
            return right
        self._inbox.accept(tenant_of(caller.owner_key), item, self._decision(caller, item, result, channel))
        return Decided(accepted, quorum, is_over=False)

    return wrong


def _overwriting(accept: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: MemoryInbox, tenant: str, item: Any, decision: Any) -> bool:
        stored = self.find(tenant, item.id)
        if stored is not None:
            self._keep(tenant, replace(item, accepted=(*item.accepted, decision)))
        return stored is not None

    return wrong


REFACTORED: Final = (
    Plant(
        "a task is marked as launched before it is", TaskOperations, "launch", _marking_first, "is stuck|is not stopped"
    ),
    Plant("a record whose effect fails is handled", Reconciler, "_follow", _trying, "is stuck|work goes on"),
    Plant("a task keeps its first token", transitions, "_changes_suspending", _keeping_token, "waits for a token"),
    Plant("a page begins after the first of its tasks", TaskService, "page", _skipping, "not listed"),
    Plant("what a tool catches is over", tool_run, "WatchedJournal", _deaf, "says nobody for name"),
    Plant("a task that is final at once has no steps", tool_calls, "_start", _forgetful, "says .* for draw|done again"),
    Plant("a sleep is no time", Task, "due_at", _without_sleep, "had time until"),
    Plant("an outcome is kept for no time", model, "KEPT", lambda kept: timedelta(), "expires soon|is said to want"),
    Plant("what is not known yet is gone", DynamoTaskStore, "read_recent", _knowing_all, "said to be missing", TABLE),
    Plant("one person accepts twice", Approvals, "_decide", _counting_twice, "by one person twice"),
    Plant(
        "who accepts at once is overwritten", MemoryInbox, "accept", _overwriting, "nobody knows that|an internal error"
    ),
    Plant("an inbox is not tidied up", inbox, "change_of", changing(ended=()), "is left in the inbox"),
)
