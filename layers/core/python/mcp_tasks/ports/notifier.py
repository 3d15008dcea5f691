"""The notifier: it tells people, by whatever means the adopter has, that something waits for them."""

from typing import Protocol

from mcp_tasks.tasks.notifications import Notification


class Notifier(Protocol):
    """Sends notifications, each at least once."""

    def send(self, notification: Notification) -> None:
        """Send a notification, or raise `NotifierUnavailable`: it may have been sent all the same."""


class NotifierUnavailable(Exception):
    """The notification was not accepted: try again later."""
