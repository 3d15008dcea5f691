"""A signing key in memory, for one process."""


class MemoryKeys:
    """One key named "memory": what it signed verifies until the process ends."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def current(self) -> tuple[str, bytes]:
        """Return the name and the secret."""
        return "memory", self._secret

    def find(self, name: str) -> bytes | None:
        """Return the secret for its own name, None for any other."""
        return self._secret if name == "memory" else None
