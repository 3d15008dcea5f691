"""Sessions of one IAM role, each for a tenant: its name is a session tag, of which the role's policy speaks."""

from collections.abc import Callable
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME, TENANT_SESSION
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller

TAG: Final = "tenant"
"""The key of the tag, which `infra/tenant_access.py` names too."""

MAX_SESSIONS: Final = 1_000
"""Tenants whose sessions one process keeps, at 2 KB each; beyond, it forgets those that began first."""


class _Session(NamedTuple):
    credentials: Credentials
    ends_at: datetime


@record
class TenantRole:
    """Implements `TenantAccess`; `client` returns that of STS.

    A session is used again while it outlasts a run that begins now, so that a process begins one for each tenant in
    43 minutes at most.
    """

    client: Callable[[], Any]
    role: str
    clock: Clock
    _sessions: dict[str, _Session] = field(default_factory=dict, init=False, repr=False)

    def credentials(self, caller: Caller) -> Credentials:
        """Return the credentials of the tenant's session; raises botocore's errors where none can be begun."""
        tenant, now = caller.tenant_tag, self.clock.now()
        session = self._sessions.get(tenant)
        if session is None or session.ends_at - now < RUN_TICKET_LIFETIME:
            # Put at the end, where the latest are.
            self._sessions.pop(tenant, None)
            session = self._sessions[tenant] = self._begun(tenant, now)
            if len(self._sessions) > MAX_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        return session.credentials

    def _begun(self, tenant: str, now: datetime) -> _Session:
        begun = self.client().assume_role(
            RoleArn=self.role,
            # What CloudTrail names a session by; the tag, which it has too, may be longer than a name.
            RoleSessionName="tool",
            DurationSeconds=TENANT_SESSION // timedelta(seconds=1),
            Tags=[{"Key": TAG, "Value": tenant}],
        )["Credentials"]
        given = Credentials(
            access_key=begun["AccessKeyId"], secret_key=begun["SecretAccessKey"], session_token=begun["SessionToken"]
        )
        # By our own clock, from before the call: no later than it ends by that of AWS.
        return _Session(given, now + TENANT_SESSION)
