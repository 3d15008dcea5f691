"""The caller, and the owner key: the partition of the table that holds everything of theirs."""

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Self
from urllib.parse import quote, unquote

from mcp_tasks.limits.aws import MAX_TAG_CHARACTERS
from mcp_tasks.limits.tenants import MAX_OWNER_KEY_BYTES
from mcp_tasks.records import record

# The partition of all callers without an identity, which no other caller may have.
ANONYMOUS_OWNER_KEY: Final = "anonymous#anonymous"

BEARER: Final = re.compile(r"(?i:Bearer) +([A-Za-z0-9\-._~+/]+=*)")
"""An Authorization header with a token.  -- RFC 6750, 2.1 (`b64token`); RFC 9110, 11.1: schemes have no case"""

LINK_PREFIX: Final = "link~"
"""What the bearer token of a link begins with, and no JSON Web Token, which is written without a tilde."""


@record
class Caller:
    """A subject of a tenant, with OAuth scopes; not `identified` where the server runs without authorization.

    `roles` are those of the request's token, by which a caller may answer what others' tasks ask; no tool is told them.

    `actor` is who acts on behalf of the subject, where the token says so: its `act` claim, with a `sub`, perhaps other
    claims, and in an `act` of its own who acted before (RFC 8693).  It owns nothing: tasks are the subject's.
    `approval` is the id of the one approval that whoever holds a link may decide as the subject, and nothing else.
    `link` is the id of the link itself, which is good `until` then, and absent once a tab has exchanged it.
    `client_id` names the OAuth client of the token, where it says so, to auditors and nobody else.
    `owner_key` is the partition key of the caller's tasks, different for every tenant and subject.
    """

    tenant: str
    subject: str
    scopes: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    identified: bool = True
    actor: Mapping[str, Any] | None = field(default=None, hash=False)
    approval: str | None = None
    link: str | None = None
    until: datetime | None = None
    client_id: str | None = None
    owner_key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reject a caller who could not own tasks.

        Raises:
            ValueError: An empty tenant or subject, one that is not Unicode text, or an owner key too long or reserved.
        """
        if not self.tenant or not self.subject:
            raise ValueError("a caller needs a tenant and a subject, neither of them empty")
        # Once, as each request asks for it several times.  A cache would keep the names of others where tools run.
        object.__setattr__(self, "owner_key", _owner_key(self.tenant, self.subject))
        if len(self.owner_key) > MAX_OWNER_KEY_BYTES:
            raise ValueError(f"tenant and subject take more than {MAX_OWNER_KEY_BYTES} bytes when quoted")
        if self.identified and self.owner_key == ANONYMOUS_OWNER_KEY:
            raise ValueError("these names are kept for those who did not say who they are")

    @property
    def tenant_tag(self) -> str:
        """Return the tenant as policies of AWS know it: the names of its prefixes and partitions in what tools keep.

        It is the value of the tag of the sessions behind `Context.aws`, different for every tenant.
        """
        return _tag_of(self.tenant)

    @classmethod
    def of_owner_key(cls, owner_key: str) -> Self:
        """Return the caller whose tasks live in a partition, without scopes or actor: the key does not hold them.

        Raises:
            ValueError: The text is no partition key that `owner_key` can return.
        """
        tenant, _, subject = owner_key.partition("#")
        caller = cls(tenant=unquote(tenant), subject=unquote(subject), identified=owner_key != ANONYMOUS_OWNER_KEY)
        # unquote() forgives much ("%zz", stray bytes), and two spellings of one caller would be two partitions.
        if caller.owner_key != owner_key:
            raise ValueError("not an owner key")
        return caller


def _owner_key(tenant: str, subject: str) -> str:
    return f"{quote(tenant, safe='')}#{quote(subject, safe='')}"


def _tag_of(tenant: str) -> str:
    """Return a tenant's name in letters, digits and `_.-=`, which are no patterns to IAM and no path to S3's clients.

    STS takes more characters than these, but not "%" or "~", and 256 of them.  Quoted, a name has no "=", so that what
    begins with one is never two tenants'.
    """
    tag = quote(tenant, safe="").replace("%", "=").replace("~", "=7E")
    if not tag.strip("."):
        tag = tag.replace(".", "=2E")
    return tag if len(tag) <= MAX_TAG_CHARACTERS else f"=={sha256(tenant.encode()).hexdigest()}"


def tenant_of(owner_key: str) -> str:
    """Return the tenant of an owner key: the partition of what its callers share."""
    return owner_key.partition("#")[0]


ANONYMOUS: Final = Caller.of_owner_key(ANONYMOUS_OWNER_KEY)
