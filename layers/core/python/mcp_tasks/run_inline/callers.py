"""The caller of a message, as JSON, and back; pure, no I/O."""

from collections.abc import Mapping

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON


def document_of_caller(caller: Caller) -> Mapping[str, JSON]:
    """Return the document of a caller."""
    return {
        "tenant": caller.tenant,
        "subject": caller.subject,
        "scopes": sorted(caller.scopes),
        "identified": caller.identified,
        "actor": caller.actor,
    }


def caller_of(document: Mapping[str, JSON]) -> Caller:
    """Return the caller in a document, of which the endpoint of a newer release may say more."""
    return Caller(
        tenant=document["tenant"],
        subject=document["subject"],
        scopes=frozenset(document["scopes"]),
        identified=document["identified"],
        actor=document["actor"],
    )
