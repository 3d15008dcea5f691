"""Held waits, counted in the memory of one process."""

import threading
from collections import Counter


class MemoryHeldWaits:
    """A number for each tenant, which dies with the process that waits."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, tenant: str, limit: int) -> str | None:
        """Count a wait unless the limit is reached."""
        with self._lock:
            if self._held[tenant] >= limit:
                return None
            self._held[tenant] += 1
            return ""

    def end(self, tenant: str, receipt: str) -> None:
        """Stop counting a wait."""
        with self._lock:
            self._held[tenant] -= 1
            if not self._held[tenant]:
                del self._held[tenant]

    def count(self, tenant: str) -> int:
        """Return how many waits are counted."""
        return self._held[tenant]
