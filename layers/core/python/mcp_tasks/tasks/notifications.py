"""What people are told of approvals that wait for them: that something waits, and where; never what; pure, no I/O."""

import json
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from mcp_tasks.limits.tools import MAX_REMINDERS
from mcp_tasks.limits.waits import BETWEEN_CHECKS_SUSPENDED, GRACE
from mcp_tasks.records import record
from mcp_tasks.tasks.approvals import Audience
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.inbox import InboxItem, items_of
from mcp_tasks.tasks.model import Task

INBOX: Final = "approvals://inbox"
"""The address of a caller's inbox: a resource of the server (`engine/approval_tools.py`)."""


class Occasion(StrEnum):
    """Why somebody is told."""

    REQUESTED = "Approval Requested"
    REMINDED = "Approval Reminder"


@record
class Notification:
    """Says that an approval waits for an audience of a tenant, until it is `due`.

    The same `id` means the same notification, which may be sent more than once.
    """

    id: str
    occasion: Occasion
    tenant: str
    audience: Audience
    approval: str
    due: datetime


def notification_of(tenant: str, before: InboxItem | None, after: InboxItem) -> Notification | None:
    """Return what the audience of an item is told of its change, if anything; `before` is None where it is new."""
    if before is not None and before.notices >= after.notices:
        return None
    return Notification(
        id=hashed(json.dumps([tenant, after.id, after.notices]))[:32],
        occasion=Occasion.REQUESTED if before is None else Occasion.REMINDED,
        tenant=tenant,
        audience=after.approval.audience,
        approval=after.id,
        due=after.deadline,
    )


def notices_due(item: InboxItem, now: datetime) -> int:
    """Return how often the audience of an item is to have been told again by now."""
    every = item.approval.remind
    return 0 if every is None else min(max(now - item.asked_at, timedelta()) // every, MAX_REMINDERS)


def next_notice(owner_key: str, task: Task, now: datetime) -> datetime | None:
    """Return when an audience is next to be told again of what a task asks, None where none is any more."""
    return min(filter(None, (_next(item, now) for item in items_of(owner_key, task))), default=None)


def first_check(owner_key: str, task: Task) -> datetime | None:
    """Return when a task that was just suspended is to be checked, for an audience to be told again; None for none."""
    notice = next_notice(owner_key, task, task.updated_at)
    if notice is None:
        return None
    return min(notice, task.due_at + GRACE, task.updated_at + BETWEEN_CHECKS_SUSPENDED)


def _next(item: InboxItem, now: datetime) -> datetime | None:
    every, number = item.approval.remind, notices_due(item, now) + 1
    if every is None or number > MAX_REMINDERS:
        return None
    at = item.asked_at + number * every
    return at if at < item.deadline else None
