"""The change feed: how a change of a resource reaches the clients that subscribed to it."""

from typing import Protocol


class ChangeFeed(Protocol):
    """The versions of the resources that clients subscribe to; the callers of one tenant share them."""

    def publish(self, owner_key: str, uri: str) -> None:
        """Raise the version of the resource at a URI."""

    def version(self, owner_key: str, uri: str) -> int:
        """Return the version of a resource; 0 if none was published within `CHANGE_LIFETIME`."""
