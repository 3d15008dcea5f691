"""What people are told of approvals that wait for them: that something waits, and where; never what; pure, no I/O."""

import json
from datetime import datetime
from enum import StrEnum
from typing import Final

from mcp_tasks.records import record
from mcp_tasks.tasks.approvals import Audience
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.inbox import InboxItem

INBOX: Final = "approvals://inbox"
"""The address of a caller's inbox: a resource of the server (`engine/approval_tools.py`)."""


class Occasion(StrEnum):
    """Why somebody is told."""

    REQUESTED = "Approval Requested"


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
    if before is not None:
        return None
    return Notification(
        id=hashed(json.dumps([tenant, after.id, 0]))[:32],
        occasion=Occasion.REQUESTED,
        tenant=tenant,
        audience=after.approval.audience,
        approval=after.id,
        due=after.deadline,
    )
