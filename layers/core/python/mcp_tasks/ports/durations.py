"""How long the tasks of each tenant's tools took lately."""

from datetime import timedelta
from typing import Protocol

from mcp_tasks.tasks.durations import Durations


class ToolDurations(Protocol):
    """Keeps a histogram for each tool of a tenant; of no importance to anything but the pace of who waits.

    What is added may be lost, and is not seen at once.
    """

    def add(self, tenant: str, tool: str, duration: timedelta) -> None:
        """Count a task that ended."""

    def of(self, tenant: str, tool: str) -> Durations | None:
        """Return the histogram, as it was a while ago, or None if there is none."""
