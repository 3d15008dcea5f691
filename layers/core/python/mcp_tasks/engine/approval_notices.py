"""Tells the audiences of approvals that something waits for them, once the inbox has it.

The table's stream calls `changed` for each change of an item, as often as it takes: what is sent twice has one id.
"""

from mcp_tasks.ports import Ports
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.notifications import notification_of


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
