"""Verifies the bearer tokens of links, for whatever authenticates requests."""

from typing import Any

from mcp_tasks import audit
from mcp_tasks.adapters.dynamodb.keys import AUDIT_KEYS, DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.keys import use_audit_keys
from mcp_tasks.records import record
from mcp_tasks.security.links import LinkExpired, LinkRejected, Links
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller


@record
class LinkVerifier:
    """Verifies links that were signed by the same keys."""

    signer: Signer

    def verify(self, token: str) -> Caller:
        """Return the caller that a link is good for; raises `TokenRejected`, and tells auditors whose is over."""
        try:
            return Links(signer=self.signer).read(token)
        except LinkRejected:
            raise TokenRejected(Rejection.BAD_LINK) from None
        except LinkExpired as expired:
            reason, at = Rejection.EXPIRED_LINK, self.signer.clock.now()
            audit.write("request.refused", expired.caller, {"reason": reason.value, "at": at.isoformat()})
            raise TokenRejected(reason) from None


def link_verifier(client: Any, table: str, clock: Clock) -> LinkVerifier:
    """Return what verifies links by the keys in a table, which it only reads."""
    stored = Table(client=client, name=table, clock=clock)
    use_audit_keys(DynamoKeys(stored, AUDIT_KEYS))
    return LinkVerifier(signer=Signer(keys=DynamoKeys(stored), clock=clock))
