"""The roles of a token, by which its subject may answer what others' tasks ask.

A claim of that name may have meant something else before this server read it, so that one which is no list of roles
gives none, and rejects no token.
"""

import json
from typing import Any

from mcp_tasks.limits.requests import MAX_ROLES, MAX_ROLES_BYTES


def roles_of(claim: Any) -> frozenset[str]:
    """Return the roles in a claim: texts, SCIM's objects with a `value`, or one text that spaces separate.

    Those of more than `MAX_ROLES` are none: the authorizer could not pass them on, and a part of them would be chance.
    -- RFC 9068, 2.2.3.1; RFC 7643, 4.1.2
    """
    listed = claim.split() if isinstance(claim, str) else claim if isinstance(claim, list) else []
    values = [each.get("value") if isinstance(each, dict) else each for each in listed]
    found = frozenset(each for each in values if isinstance(each, str) and each)
    return found if len(found) <= MAX_ROLES and len(written(found).encode()) <= MAX_ROLES_BYTES else frozenset()


def written(roles: frozenset[str]) -> str:
    """Return roles as the authorizer passes them on: a role, unlike a scope, may have spaces in it."""
    return json.dumps(sorted(roles), separators=(",", ":"))
