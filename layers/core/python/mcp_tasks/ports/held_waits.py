"""The connections of tenants that are held open until something changes."""

from typing import Protocol


class HeldWaits(Protocol):
    """Counts the waits of each tenant; one whose process died is forgotten within a minute."""

    def begin(self, tenant: str, limit: int) -> str | None:
        """Count a wait and return the receipt that `end` takes, or None, having counted nothing, at the limit."""

    def end(self, tenant: str, receipt: str) -> None:
        """Stop counting a wait."""

    def count(self, tenant: str) -> int:
        """Return how many waits are counted."""
