"""The change feed in the memory of one process."""

import threading

from mcp_tasks.security.tenancy import tenant_of


class MemoryChangeFeed:
    """A counter of changes for each URI of a tenant."""

    def __init__(self) -> None:
        self._versions: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def publish(self, owner_key: str, uri: str) -> None:
        """Raise the version of a URI by 1; safe from several threads."""
        with self._lock:
            key = tenant_of(owner_key), uri
            self._versions[key] = self._versions.get(key, 0) + 1

    def version(self, owner_key: str, uri: str) -> int:
        """Return how often the resource at a URI changed since the process started."""
        return self._versions.get((tenant_of(owner_key), uri), 0)
