"""Versions of addresses in memory, for one process."""

import threading


class MemoryChangeFeed:
    """All changes."""

    def __init__(self) -> None:
        """Start empty."""
        self._versions: dict[tuple[str, str], int] = {}
        self._turn = threading.Lock()

    def publish(self, owner_key: str, uri: str) -> None:
        """Note a change; see `ChangeFeed`."""
        with self._turn:
            place = owner_key.partition("#")[0], uri
            self._versions[place] = self._versions.get(place, 0) + 1

    def version(self, owner_key: str, uri: str) -> int:
        """Return a version; see `ChangeFeed`."""
        return self._versions.get((owner_key.partition("#")[0], uri), 0)
