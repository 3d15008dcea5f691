"""Links: whoever has one may see and decide one approval, as the subject who had it made, and do nothing else.

A link is a bearer token, which its holder can read, and which is worthless when it is changed.  It ends by itself, and
with the approval: nobody has to keep which links there are.  A tab exchanges it once, for a credential of its own
(`engine/link_tools.py`), which is a link that cannot be exchanged again.
"""

import secrets
from datetime import datetime
from typing import Final

from mcp_tasks.limits.requests import MAX_LINK_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.security.signing import BadSignature, SignatureExpired, Signer, expiry
from mcp_tasks.security.tenancy import LINK_PREFIX, Caller
from mcp_tasks.tasks.hashing import hashed
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
        """Return a link by which its holder decides one approval as this caller, until then, unlike any other."""
        # Two links that expire together would be the same text, and used together.
        return self._sign(caller, approval, until, {"id": secrets.token_hex(8)})

    def for_tab(self, caller: Caller, nonce: str) -> str:
        """Return the credential of the tab that exchanged the caller's link with a nonce: the same text each time."""
        assert caller.approval is not None
        assert caller.until is not None
        return self._sign(caller, caller.approval, caller.until, {"tab": hashed(nonce)[:32]})

    def _sign(self, caller: Caller, approval: str, until: datetime, more: dict[str, JSON]) -> str:
        said = {"tenant": caller.tenant, "subject": caller.subject, "approval": approval, **more}
        lifetime = until - self.signer.clock.now()
        return LINK_PREFIX + self.signer.sign(said, purpose=PURPOSE, owner_key=NOBODYS, lifetime=lifetime)

    def read(self, text: str) -> Caller:
        """Return the caller that a link is good for; raises `LinkRejected` and `LinkExpired`."""
        if len(text) > MAX_LINK_CHARACTERS or not text.startswith(LINK_PREFIX):
            raise LinkRejected
        signed = text.removeprefix(LINK_PREFIX)
        try:
            said = self.signer.verify(signed, purpose=PURPOSE, owner_key=NOBODYS)
            return _caller(said) if "tab" in said else _caller(said, link=hashed(signed)[:32], until=expiry(signed))
        except SignatureExpired as expired:
            raise LinkExpired(_caller(expired.value)) from None
        except BadSignature:
            raise LinkRejected from None


def _caller(said: JSON, link: str | None = None, until: datetime | None = None) -> Caller:
    """Return the caller that was signed, hence one that can be."""
    return Caller(tenant=said["tenant"], subject=said["subject"], approval=said["approval"], link=link, until=until)
