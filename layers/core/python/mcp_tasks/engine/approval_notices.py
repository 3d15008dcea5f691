"""Tells the audiences of approvals that something waits for them, once the inbox has it.

    `remind`   by the sweep     one conditional write of the item: its audience is to be told again
    `changed`  by the stream    the notification of a change of the item is sent, as often as it takes, with one id

So a process that dies in either has it done by the next.
"""

from datetime import datetime

from mcp_tasks.ports import Ports
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.inbox import InboxItem, items_of
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.notifications import notices_due, notification_of


@record
class ApprovalNotices:
    """Sends notifications for the items of all inboxes; nobody is told where there is no notifier."""

    ports: Ports

    def changed(self, before: InboxItem | None, after: InboxItem | None) -> None:
        """Tell of a change of an item, unless it is over by now; after `NotifierUnavailable`, call it again."""
        if self.ports.notifier is None or after is None:
            return
        notification = notification_of(Caller.of_owner_key(after.owner_key).tenant, before, after)
        if notification is None:
            return
        # Whoever was told late, or again, would look for what is not there.
        if self.ports.inbox().find(tenant_of(after.owner_key), after.id) is not None:
            self.ports.notifier.send(notification)

    def remind(self, owner_key: str, task: Task, now: datetime) -> None:
        """Have the audiences told again that are to be by now, of all that a task asks of others."""
        for item in items_of(owner_key, task):
            if number := notices_due(item, now):
                self.ports.inbox().notice(tenant_of(owner_key), item.id, number)
