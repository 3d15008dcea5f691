"""The issuers of a server: checked at synth, told to the authorizer, and told to clients."""

import json
from collections.abc import Sequence
from itertools import chain

from mcp_tasks.limits.aws import MAX_ISSUERS_BYTES
from mcp_tasks.limits.issuers import check_issuers

from .tokens import Issuers, Tokens

USUAL = Tokens(issuer="-", audience="-", jwks_url="-")


def accepted(tokens: Issuers) -> tuple[Tokens, ...]:
    """Return the issuers of a server; raises `ValueError` for some that the authorizer would not accept together."""
    issuers = (tokens,) if isinstance(tokens, Tokens) else tuple(tokens)
    check_issuers(issuers)
    if (size := len(variables(issuers).get("ISSUERS", ""))) > MAX_ISSUERS_BYTES:
        raise ValueError(f"issuers take {size} bytes, of {MAX_ISSUERS_BYTES}: list fewer")
    return issuers


def variables(issuers: Sequence[Tokens]) -> dict[str, str]:
    """Return the environment variables of the authorizer: those of the only issuer, or a list of those of each."""
    if len(issuers) == 1:
        return issuers[0].variables
    usual = USUAL.variables.items()
    each = [dict(issuer.variables.items() - usual) for issuer in issuers]
    return {"ISSUERS": json.dumps(each, separators=(",", ":"), sort_keys=True)}


def supported_scopes(issuers: Sequence[Tokens]) -> tuple[str, ...]:
    """Return the scopes that clients are told to ask for, of whichever issuer, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(issuer.scopes for issuer in issuers)))
