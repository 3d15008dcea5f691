"""Who may operate a stage: callers of one tenant, and never of a tenant that somebody could give themselves."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mcp_tasks.limits.issuers import Tenants, origin

ADMIN: Final = "admin"
"""The scope of operators, unless a stage gives it another name."""

FIELDS: Final = ("tenant", "scope", "subjects")


def check_operators(given: Any) -> None:
    """Raise `ValueError`, whose text says what to write instead, unless this says who operates a stage, or nobody."""
    if not isinstance(given, Mapping):
        raise ValueError(f'operators is an object, such as {{"tenant": "operations"}}, not {given!r}')
    if not given:
        return
    for name in given.keys() - set(FIELDS):
        raise ValueError(f"operators has {name!r}: there are {', '.join(FIELDS)}")
    if not isinstance(given.get("tenant"), str) or not given["tenant"]:
        raise ValueError("operators needs the tenant that they are of, as their tokens name it")
    scope, subjects = given.get("scope", ADMIN), given.get("subjects", ())
    # Of RFC 6749, 3.3, what the console may have in it.
    if not isinstance(scope, str) or not re.fullmatch(r"[\w!%&()*+,./:;=?@^~-]+", scope, re.ASCII):
        raise ValueError(f"operators: {scope!r} is no scope that can be asked for here")
    if not isinstance(subjects, list | tuple) or not all(isinstance(each, str) and each for each in subjects):
        raise ValueError(f'operators: subjects is a list, such as ["grace"], not {subjects!r}')


def check_tenant_of_operators(given: Mapping[str, Any], issuers: Sequence[Tenants]) -> None:
    """Raise `ValueError` where operators are all of a tenant that tokens name: whoever can choose its name was one.

    An issuer often lets its users found an organization and name it, and ask for any scope.  So either all tokens of
    an issuer are of the operators' tenant, which no other issuer can name then, or each operator is listed.
    """
    if not given or given.get("subjects"):
        return
    own = [each for each in issuers if not each.same_callers_as]
    if given["tenant"] not in {origin(each, own).tenant for each in issuers}:
        raise ValueError(
            f"operators are all of the tenant {given['tenant']!r}, which tokens may name as any other: give them an "
            f"issuer of their own, with tenant={given['tenant']!r}, or list their subjects"
        )
