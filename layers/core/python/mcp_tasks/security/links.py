"""Links: whoever has one may see and decide one approval, as the subject who had it made, and do nothing else.

A link is a bearer token, which its holder can read, and which is worthless when it is changed.  It ends by itself, and
with the approval: nobody has to keep which links there are, nor which were used.
"""

from datetime import datetime
from typing import Final

from mcp_tasks.limits.requests import MAX_LINK_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.security.signing import BadSignature, SignatureExpired, Signer
from mcp_tasks.security.tenancy import LINK_PREFIX, Caller
from mcp_tasks.tasks.model import JSON

PURPOSE: Final = "approval link"
NOBODYS: Final = ""
"""In place of an owner key, which no owner has: who may use a link is whoever holds it, and it says whose it is."""


class LinkRejected(Exception):
    """This is no link that was made here."""


class LinkExpired(Exception):
    """The link was good, and its time is over."""

    def __init__(self, caller: Caller) -> None:
        """Keep the caller that it was good for."""
        super().__init__("expired")
        self.caller = caller


@record
class Links:
    """Makes and reads links, as text."""

    signer: Signer

    def make(self, caller: Caller, approval: str, until: datetime) -> str:
        """Return a link by which its holder decides one approval as this caller, until then."""
        lifetime = until - self.signer.clock.now()
        said = {"tenant": caller.tenant, "subject": caller.subject, "approval": approval}
        return LINK_PREFIX + self.signer.sign(said, purpose=PURPOSE, owner_key=NOBODYS, lifetime=lifetime)

    def read(self, text: str) -> Caller:
        """Return the caller that a link is good for; raises `LinkRejected` and `LinkExpired`."""
        if len(text) > MAX_LINK_CHARACTERS or not text.startswith(LINK_PREFIX):
            raise LinkRejected
        try:
            return _caller(self.signer.verify(text.removeprefix(LINK_PREFIX), purpose=PURPOSE, owner_key=NOBODYS))
        except SignatureExpired as expired:
            raise LinkExpired(_caller(expired.value)) from None
        except BadSignature:
            raise LinkRejected from None


def _caller(said: JSON) -> Caller:
    """Return the caller that was signed, hence one that can be."""
    return Caller(tenant=said["tenant"], subject=said["subject"], approval=said["approval"])
