"""The change feed in the memory of one process."""

import threading

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.limits.waits import CHANGE_LIFETIME
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import tenant_of


class MemoryChangeFeed:
    """A version for each URI of a tenant: the number of the change among all, so that it rises even if forgotten."""

    def __init__(self, clock: Clock) -> None:
        """Begin without versions; they go by this clock."""
        self._clock = clock
        self._versions: Shelves[int] = Shelves(clock)
        self._changes = 0
        self._lock = threading.Lock()

    def publish(self, owner_key: str, uri: str) -> None:
        """Raise the version of a URI; safe from several threads."""
        with self._lock:
            self._changes += 1
            self._versions.put(tenant_of(owner_key), uri, self._changes, self._clock.now() + CHANGE_LIFETIME)

    def version(self, owner_key: str, uri: str) -> int:
        """Return the version of the resource at a URI; 0 if it did not change within `CHANGE_LIFETIME`."""
        with self._lock:
            return self._versions.find(tenant_of(owner_key), uri) or 0
