"""Bugs of what tools use in some stories only."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.adapters.dynamodb import queue
from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes
from mcp_tasks.adapters.dynamodb.reservations import Reservations
from mcp_tasks.engine import lifecycle, task_host
from mcp_tasks.limits.waits import RUN_LEASE
from mcp_tasks.tasks import transitions
from mcp_tasks.tasks.approvals import Approval, Audience
from mcp_tasks.tasks.events import SleepStarted
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import RunLease, Task
from tests.simulation.planted.plant import Plant
from tests.simulation.traits import TABLE


def _as_it_comes(changes: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, event: object, at: datetime) -> dict[str, Any]:
        right: dict[str, Any] = changes(task, event, at)
        return {**right, "wakes_at": event.wakes_at} if isinstance(event, SleepStarted) else right

    return wrong


def _of_one_audience(ids: object) -> object:
    return property(lambda item: (item.id,))


def _at_once(is_open: Callable[..., Any]) -> Callable[..., Any]:
    return lambda item, now: now < item.deadline


def _by_itself(audiences: object) -> object:
    def wrong(asked: Approval) -> tuple[tuple[timedelta, Audience], ...]:
        first = (timedelta(), asked.audience)
        return (first,) if asked.escalate is None else (first, (asked.escalate.after, asked.escalate.audience))

    return property(wrong)


def _for_a_minute(renewed: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, run: str, now: datetime) -> RunLease | None:
        lease: RunLease | None = renewed(task, run, now)
        return lease and lease._replace(until=max(lease.until, now + RUN_LEASE))

    return wrong


def _for_a_moment(renewed: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, run: str, now: datetime) -> RunLease | None:
        lease: RunLease | None = renewed(task, run, now)
        return lease and lease._replace(until=now + RUN_LEASE / 6)

    return wrong


def _whoever_acts(joining_key: Callable[..., Any]) -> Callable[..., Any]:
    return lambda caller, *call: joining_key(replace(caller, actor=None), *call)


def _for_ever(earlier: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Reservations, owner_key: str, key: IdempotencyKey, reserved: Item) -> Task | None:
        later = expiry_attributes(self.table.clock.now() + timedelta(days=1))
        found: Task | None = earlier(self, owner_key, key, {**reserved, **later})
        return found

    return wrong


def _without_served(counting: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, served=None, **named: counting(*values, **named)


FEATURES: Final = (
    Plant("a lease is renewed for ever", task_host, "renewed", _for_a_minute, "is renewed beyond", within=500),
    Plant(
        "a renewal makes a lease shorter",
        task_host,
        "renewed",
        _for_a_moment,
        "of a run of task-.* goes back|was not renewed",
    ),
    Plant(
        "an earlier sleep that comes late shortens the task's",
        transitions,
        "_changes_suspending",
        _as_it_comes,
        "wakes_at goes back|had time until",
    ),
    Plant(
        "each audience has a quorum of its own",
        InboxItem,
        "ids",
        _of_one_audience,
        "nobody knows that|an internal error",
    ),
    Plant("what escalates does so at once", InboxItem, "is_open", _at_once, "is shown|decides"),
    Plant("who asks is of those that it escalates to", Approval, "audiences", _by_itself, "is shown|decides|looks"),
    Plant("a call joins that of another actor", lifecycle, "_joining_key", _whoever_acts, "which is of another call"),
    Plant(
        "a key is good until it is deleted",
        Reservations,
        "earlier",
        _for_ever,
        "should get a new task|is refused, and",
        TABLE,
    ),
    Plant("nobody knows who was served last", queue, "counting", _without_served, "passed twice in the queue", TABLE),
)
