"""How long tasks took, in the memory of one process."""

from datetime import timedelta

from mcp_tasks.tasks.durations import Durations


class MemoryDurations:
    """Histograms that die with the process: one for each tool of a tenant, however many tasks there were."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Durations] = {}

    def add(self, tenant: str, tool: str, duration: timedelta) -> None:
        """Count at once."""
        self._known[tenant, tool] = self._known.get((tenant, tool), Durations()).adding([duration])

    def of(self, tenant: str, tool: str) -> Durations | None:
        """Return what was counted."""
        return self._known.get((tenant, tool))
