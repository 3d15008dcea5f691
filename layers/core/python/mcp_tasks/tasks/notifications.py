"""What people are told of approvals that wait for them: that something waits, and where; never what; pure, no I/O."""

import json
from datetime import datetime
from enum import StrEnum
from typing import Final

from mcp_tasks.limits.tools import MAX_REMINDERS
from mcp_tasks.limits.waits import BETWEEN_CHECKS_SUSPENDED
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
    ESCALATED = "Approval Escalated"


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
    occasion = _occasion(before, after)
    if occasion is None:
        return None
    again = [] if after.again is None else [after.again.isoformat()]
    return Notification(
        id=hashed(json.dumps([tenant, after.id, after.notices, *again]))[:32],
        occasion=occasion,
        tenant=tenant,
        audience=after.approval.audience,
        approval=after.id,
        due=after.deadline,
    )


def notices_due(item: InboxItem, now: datetime) -> int:
    """Return how often the audience of an item is to have been told by now, beside when it was asked."""
    if now < item.opens_at:
        return 0
    every = item.approval.remind
    return bool(item.escalates) + (0 if not every else min((now - item.opens_at) // every, MAX_REMINDERS))


def next_notice(owner_key: str, task: Task, now: datetime) -> datetime | None:
    """Return when an audience is next to be told of what a task asks, None where none is any more."""
    return min(filter(None, (_next(item, now) for item in items_of(owner_key, task))), default=None)


def first_check(owner_key: str, task: Task) -> datetime | None:
    """Return when a task that was just suspended is to be checked, for an audience to be told; None for none."""
    notice = next_notice(owner_key, task, task.updated_at)
    # Its time is not up before: a notice comes before the deadline of what is asked, for which the task waits.
    return None if notice is None else min(notice, task.updated_at + BETWEEN_CHECKS_SUSPENDED)


def _next(item: InboxItem, now: datetime) -> datetime | None:
    reminders = notices_due(item, now) + 1 - bool(item.escalates)
    if reminders == 0:
        return item.opens_at
    every = item.approval.remind
    if every is None or reminders > MAX_REMINDERS:
        return None
    at = item.opens_at + reminders * every
    return at if at < item.deadline else None


def _occasion(before: InboxItem | None, after: InboxItem) -> Occasion | None:
    if before is None:
        return None if after.escalates else Occasion.REQUESTED
    if before.notices < after.notices:
        return Occasion.ESCALATED if after.escalates and not before.notices else Occasion.REMINDED
    return None if after.again in (None, before.again) else Occasion.REMINDED
