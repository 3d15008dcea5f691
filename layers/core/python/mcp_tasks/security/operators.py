"""Who operates a stage, and so may see which tenants there are: nobody, unless the stage says who."""

from collections.abc import Mapping
from typing import Any, Self

from mcp_tasks.limits.operators import ADMIN, check_operators
from mcp_tasks.records import record
from mcp_tasks.security.scopes import lacks
from mcp_tasks.security.tenancy import Caller


@record
class Operators:
    """Those of one tenant whose tokens have the scope; with `subjects`, of these alone.

    The scope by itself says nothing: whoever issues the tokens of a tenant can grant it.
    """

    tenant: str
    scope: str = ADMIN
    subjects: frozenset[str] = frozenset()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self | None:
        """Return those of a stage's setting, None where it names nobody; raises `ValueError`."""
        check_operators(given)
        if not given:
            return None
        subjects = frozenset(given.get("subjects", ()))
        return cls(tenant=given["tenant"], scope=given.get("scope", ADMIN), subjects=subjects)

    def include(self, caller: Caller) -> bool:
        """Return whether a caller is one of them."""
        is_named = not self.subjects or caller.subject in self.subjects
        return caller.identified and caller.tenant == self.tenant and is_named and not lacks(caller, (self.scope,))
