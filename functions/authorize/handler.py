"""The API's Lambda authorizer: verifies the bearer token of a request and identifies its caller."""

import json
import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger

from mcp_tasks.adapters.jwt.issuers import TokenVerifiers
from mcp_tasks.adapters.jwt.roles import written
from mcp_tasks.adapters.jwt.settings import issuers_of
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected
from mcp_tasks.limits.tenants import MAX_API_KEYS
from mcp_tasks.security.tenancy import BEARER, LINK_PREFIX, Caller
from mcp_tasks.snapshots import renew_after_restore

if TYPE_CHECKING:
    from mcp_tasks.adapters.links import LinkVerifier

logger = Logger(service="authorize", release=os.environ.get("RELEASE"))
renew_after_restore()


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Return the IAM policy that admits the caller of a valid token, or denies another token.

    API Gateway answers both a denial and "Unauthorized" with 401, and only a denial with `error="invalid_token"`, which
    a request without a token must not be told.  -- RFC 6750, 3.1

    Raises:
        Exception: "Unauthorized": the request has no bearer token.
        KeysUnavailable: Answered with 500, as is any other error: on a 401 a client would discard a valid token.
    """
    try:
        token = bearer_token(event)
    except TokenRejected as refused:
        _log(refused)
        raise Exception("Unauthorized") from None
    try:
        caller = links().verify(token) if token.startswith(LINK_PREFIX) else verifier().verify(token)
    except TokenRejected as refused:
        _log(refused)
        return {"principalId": "nobody", "policyDocument": _policy("Deny", event["methodArn"])}
    logger.debug("admitted", extra={"tenant": caller.tenant})
    return admission(caller, method_arn=event["methodArn"])


def _log(refused: TokenRejected) -> None:
    logger.warning("refused", extra={"reason": refused.rejection.value})


@cache
def verifier() -> TokenVerifiers:
    """Return the verifier, one for each execution environment, which caches the issuers' keys between requests."""
    return TokenVerifiers(issuers_of(os.environ))


@cache
def links() -> "LinkVerifier":
    """Return what verifies links, which caches the keys that sign them."""
    # Saves 100 ms of every cold start: few requests come by a link.
    from mcp_tasks import aws
    from mcp_tasks.adapters.links import link_verifier

    return link_verifier(aws.client("dynamodb", aws.NETWORK), os.environ["TABLE_NAME"], aws.clock)


def bearer_token(event: Mapping[str, Any]) -> str:
    """Return the token of the request's one Authorization header; a token in the query string is ignored.

    Raises:
        TokenRejected: There is no such header, more than one, or no bearer token in it.
    """
    headers = event.get("multiValueHeaders") or {name: [value] for name, value in (event.get("headers") or {}).items()}
    values = [value for name, held in headers.items() if name.lower() == "authorization" for value in held]
    if not values:
        raise TokenRejected(Rejection.NO_TOKEN)
    # RFC 9110 5.5: the white space around a value is no part of it, and no other character is white space.
    bearer = BEARER.fullmatch(values[0].strip(" \t")) if len(values) == 1 else None
    if bearer is None:
        raise TokenRejected(Rejection.MALFORMED)
    return bearer[1]


def admission(caller: Caller, *, method_arn: str) -> dict[str, Any]:
    """Return the policy that lets the caller invoke the stage, with the context that other functions read.

    Where the stage has a usage plan, it also names the API key by which API Gateway counts the tenant's requests.
    """
    return {
        "principalId": caller.owner_key,
        "policyDocument": _policy("Allow", method_arn),
        "context": _context(caller),
        **_usage(caller.tenant),
    }


def _policy(effect: str, method_arn: str) -> dict[str, Any]:
    api, stage, *_ = method_arn.split("/")
    return {
        "Version": "2012-10-17",
        # All of the stage: API Gateway caches the policy and applies it to the token's requests to any path.
        "Statement": [{"Effect": effect, "Action": "execute-api:Invoke", "Resource": f"{api}/{stage}/*"}],
    }


def _context(caller: Caller) -> dict[str, str]:
    """Return what other functions are told of the caller, in text: API Gateway passes on no object."""
    if caller.approval is not None:
        # No `subject`: a release that knows no links answers with 500, and does not take the holder for the subject.
        of_link = {"tenant": caller.tenant, "linked_subject": caller.subject, "approval": caller.approval}
        if caller.link is None or caller.until is None:
            return of_link
        return {**of_link, "link": caller.link, "until": caller.until.isoformat()}
    told = {"tenant": caller.tenant, "subject": caller.subject, "scopes": " ".join(sorted(caller.scopes))}
    roles = {"roles": written(caller.roles)} if caller.roles else {}
    actor = {} if caller.actor is None else {"actor": json.dumps(caller.actor, separators=(",", ":"))}
    client = {} if caller.client_id is None else {"client": caller.client_id}
    return told | roles | actor | client


def _usage(tenant: str) -> dict[str, str]:
    """Return one of the stage's API keys, always the same one of a tenant; nothing where the stage has none."""
    prefix = os.environ.get("API_KEY_PREFIX")
    if not prefix:
        return {}
    return {"usageIdentifierKey": f"{prefix}{int.from_bytes(sha256(tenant.encode()).digest()) % MAX_API_KEYS}"}
