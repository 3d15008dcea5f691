"""The notifier in the memory of one process, for tests."""

from mcp_tasks.tasks.notifications import Notification


class MemoryNotifier:
    """Keeps what it sends, as often as it sends it."""

    def __init__(self) -> None:
        self.sent: list[Notification] = []

    def send(self, notification: Notification) -> None:
        """Append the notification."""
        self.sent.append(notification)
