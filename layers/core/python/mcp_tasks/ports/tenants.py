"""The tenants of a stage, and what their tasks use: for its operators."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class TenantUse(NamedTuple):
    """How many tasks of a tenant have not ended, and how many of these run, wait for their turn, and for input."""

    active: int
    running: int
    queued: int
    suspended: int


class Tenants(Protocol):
    """Knows the tenants that have had a task; names are those of owner keys."""

    def seen(self, tenant: str) -> None:
        """Keep that there is a tenant, for longer than any of its tasks lives; mostly it is known already."""

    def page(self, *, after: str, limit: int) -> Sequence[str]:
        """Return up to `limit` tenants whose names come after that one, in order."""

    def use(self, tenant: str) -> TenantUse:
        """Return what a tenant's tasks use now."""
