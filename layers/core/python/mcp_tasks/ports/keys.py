"""The secrets that sign and encrypt the values that clients carry for the server."""

from typing import Protocol


class Keys(Protocol):
    """Secrets that sign what clients carry for us."""

    def current(self) -> tuple[str, bytes]:
        """Return the name and the value of the key to sign with now."""

    def find(self, name: str) -> bytes | None:
        """Return a key that was used for signing not too long ago."""
