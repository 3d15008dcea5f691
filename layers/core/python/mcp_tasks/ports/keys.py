"""The secrets that sign and encrypt the values that clients carry for the server."""

from typing import Protocol


class Keys(Protocol):
    """The signing keys, of which a new one is made each month; encryption keys are derived from them."""

    def current(self) -> tuple[str, bytes]:
        """Return the name and the value of the key to sign with now."""

    def find(self, name: str) -> bytes | None:
        """Return the value of a key that is still valid for verifying, or None if there is none of that name."""
