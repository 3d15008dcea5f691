"""What AWS lets a tenant's runs reach of what is the tenant's own."""

from typing import Protocol

from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller


class TenantAccess(Protocol):
    """Gives credentials that reach what is one tenant's, and nothing of another."""

    def credentials(self, caller: Caller) -> Credentials | None:
        """Return credentials of the caller's tenant that outlast a run which begins now; None where there are none."""
