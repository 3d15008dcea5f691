"""Bugs that need two things to meet which seldom do."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from mcp_tasks.adapters.dynamodb import changes
from mcp_tasks.adapters.dynamodb.placing import Choice
from mcp_tasks.engine import task_host
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.sweep import Sweep
from mcp_tasks.limits.waits import RUN_LEASE, SESSION_LIFETIME
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import JSON, RunLease, Task
from mcp_tasks.wire.rev_2025_11_25 import input_requests, requestor
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, Sessions, stream_name
from tests.simulation.planted.plant import Change, Plant
from tests.simulation.traits import TABLE


def _running_on(launch: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskOperations, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self.ports.executor.start(owner_key, task, arguments)
        self.ports.backlog.launched(owner_key, task.id)

    return wrong


def _asking_first(attach: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Sessions, caller: Caller, session: Session, request_id: JSON, task_id: str) -> bool:
        awaited = self.awaits_response(caller, session.id, request_id)
        return awaited and (attach(self, caller, session, request_id, task_id) or True)

    return wrong


def _looking_first(cancel: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Sessions, caller: Caller, session: Session, request_id: JSON) -> str | None:
        name = stream_name(session.id, request_id)
        known = self.store.load_stream(caller.owner_key, name)
        self.store.cancel_stream(caller.owner_key, name, self.now() + SESSION_LIFETIME)
        return None if known is None else known.task_id

    return wrong


def _named_again(granted: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, run: str, now: datetime) -> RunLease | None:
        if task.lease is not None and task.lease.run == run:
            return RunLease(run=run, number=task.lease.number, until=now + RUN_LEASE)
        right: RunLease | None = granted(task, run, now)
        return right

    return wrong


def _counting_none(again: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(delivery: Delivery, response: Any, last_error: str) -> None:
        attempt = delivery.attempt()
        if attempt is not None and attempt.request_id == response.id:
            delivery.schedule_next(requestor.after_rejection(attempt), last_error=last_error)

    return wrong


def _at_home(to_wait_at: Callable[..., Any]) -> Callable[..., Any]:
    return lambda choice, active_at: choice.order[0] if active_at is None else active_at


def _as_read(read_again: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskOperations, owner_key: str, task: Task, woken_by: Waker) -> Task:
        read = self.ports.tasks.read if woken_by is Waker.STREAM else self.ports.tasks.read_recent
        found: Task = read(owner_key, task.id)
        return found

    return wrong


def _raising(check: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, owner_key, task_id: self._check(owner_key, task_id)


def _failing(check_schema: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(item: Mapping[str, Any]) -> None:
        try:
            check_schema(item)
        except UnreadableItem as unreadable:
            raise ValueError(item) from unreadable

    return wrong


SELDOM: Final = (
    Plant("a newer record stops the stream", changes, "check_schema", _failing, "was interrupted by", TABLE),
    Plant("what is cancelled as it starts runs on", TaskOperations, "launch", _running_on, "execution is not stopped"),
    Plant(
        "a call is cancelled while its task is attached",
        Sessions,
        "attach_task",
        _asking_first,
        "was given up, and goes on",
        beside=(Change(Sessions, "cancel_request", _looking_first),),
        within=400,
    ),
    Plant(
        "a run gets its lease again when that is over",
        task_host,
        "granted",
        _named_again,
        "begins under a lease that has lapsed|beyond the time of its work",
    ),
    Plant(
        "bad answers are not counted", input_requests, "_request_again", _counting_none, "answers badly, and is asked"
    ),
    Plant("who waits does so at home", Choice, "to_wait_at", _at_home, "never has a slot", TABLE),
    Plant(
        "a waiter takes what is older",
        TaskOperations,
        "read_again",
        _as_read,
        "lastUpdatedAt went back|is sent on none of its streams",
        TABLE,
    ),
    Plant("a sweep ends at the first check that fails", Sweep, "_check_or_skip", _raising, "a sweep left"),
)
