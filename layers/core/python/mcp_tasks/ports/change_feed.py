"""How a change at an address reaches the clients that watch it."""

from typing import Protocol


class ChangeFeed(Protocol):
    """What changed at the addresses that clients watch; the callers of one tenant share a change feed."""

    def publish(self, owner_key: str, uri: str) -> None:
        """Note that what is at the address changed."""

    def version(self, owner_key: str, uri: str) -> int:
        """Return a number that rises with each change; 0 if there was none for long."""
