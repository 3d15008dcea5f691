"""A signing key in memory, for one process."""


class MemoryKeys:
    """One key, for as long as the process lives."""

    def __init__(self, secret: bytes) -> None:
        """Take the key."""
        self._secret = secret

    def current(self) -> tuple[str, bytes]:
        """Return the key; see `Keys`."""
        return "memory", self._secret

    def find(self, name: str) -> bytes | None:
        """Return the key by its name; see `Keys`."""
        return self._secret if name == "memory" else None
