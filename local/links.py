"""Authenticates requests by links, with the code of the authorizer on AWS."""

from functions.authorize.handler import bearer_token
from local.http_server import Head
from mcp_tasks.adapters.jwt.tokens import TokenRejected
from mcp_tasks.adapters.links import LinkVerifier
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller


def by_link(head: Head, signer: Signer) -> Caller | None:
    """Return the caller of a request with a link, by the key that signs here; None where the link is not accepted."""
    try:
        return LinkVerifier(signer=signer).verify(bearer_token({"headers": head.headers}))
    except TokenRejected:
        return None
