"""The notifier on EventBridge: an event for each notification, by which rules of the adopter tell people."""

import json
from collections.abc import Callable
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from mcp_tasks.ports.notifier import NotifierUnavailable
from mcp_tasks.records import record
from mcp_tasks.tasks.notifications import INBOX, Notification
from mcp_tasks.tasks.visible import one_line

SOURCE: Final = "mcp-tasks"


@record
class EventBridgeNotifier:
    """The `Notifier` on one event bus; `server` tells apart those that send to it, and `console` is its page.

    An event has nothing of what is asked: whoever may read the bus may not read the inbox.  Names are as people see
    them, since rules put them into mails.
    """

    client: Callable[[], Any]
    bus: str
    server: str
    console: str

    def send(self, notification: Notification) -> None:
        """Put one event, which the bus may refuse in an answer that is no error."""
        event = {
            "EventBusName": self.bus,
            "Source": SOURCE,
            "DetailType": notification.occasion.value,
            "Detail": json.dumps(self._detail(notification)),
        }
        try:
            (entry,) = self.client().put_events(Entries=[event])["Entries"]
        except (BotoCoreError, ClientError) as error:
            raise NotifierUnavailable("EventBridge cannot be reached, or takes no event") from error
        if "ErrorCode" in entry:
            raise NotifierUnavailable(f"EventBridge answers {entry['ErrorCode']}")

    def _detail(self, notification: Notification) -> dict[str, Any]:
        audience = notification.audience
        return {
            "id": notification.id,
            "server": self.server,
            "tenant": one_line(notification.tenant),
            "audience": {"kind": audience.kind.value, "name": one_line(audience.name)},
            "approval": notification.approval,
            "due": notification.due.isoformat(),
            "inbox": INBOX,
            "console": self.console,
        }
