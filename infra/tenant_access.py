"""What tools may do with what is their caller's tenant's own: a role whose sessions `host_run` tags with the tenant."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from aws_cdk.aws_iam import ArnPrincipal, PolicyStatement, Role, SessionTagsPrincipal
from constructs import Construct

from .findings import acknowledge_wildcard
from .function import TaskServerFunction

TENANT: Final = "${aws:PrincipalTag/tenant}"
"""The caller's tenant, in resources and conditions: what `Caller.tenant_tag` is in code."""

# A request that names no partition, as a Scan, satisfies the first: all of its none are the tenant's.
OWN_ITEMS: Final[Mapping[str, Mapping[str, Any]]] = {
    "ForAllValues:StringLike": {"dynamodb:LeadingKeys": [TENANT, f"{TENANT}#*"]},
    "Null": {"dynamodb:LeadingKeys": "false"},
}
"""The condition that each item's partition key is the tenant, or begins with it and `#`."""

# None of these is in a tag, so that the name of a tenant which another's begins with ends there.
NARROW: Final = re.compile(rf".*{re.escape(TENANT)}([/#:].*)?")


class TenantAccess(Construct):
    """Nothing until something is allowed; then a role that `host_run` alone can take, and only for a tenant."""

    def __init__(self, scope: Construct, construct_id: str, *, host: TaskServerFunction) -> None:
        super().__init__(scope, construct_id)
        self._host = host

    def allow(self, *actions: str, on: Sequence[str], when: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Permit runs these actions, by `context.aws`, on resources that name `TENANT`, or under a condition that does.

        Raises `ValueError` for a grant that would not keep tenants apart.
        """
        named = [values for keys in (when or {}).values() for values in keys.values()]
        if not any(map(_is_narrow, (on, *named))):
            raise ValueError(f"{', '.join(on)} would be open to all tenants: name TENANT in it, or use run_tool.allow")
        self._role.add_to_policy(PolicyStatement(actions=list(actions), resources=list(on), conditions=when))
        for resource in (each for each in on if "*" in each):
            acknowledge_wildcard(self._role, resource, "What is below a tenant's name is the tools' to choose.")

    @cached_property
    def _role(self) -> Role:
        host = ArnPrincipal(self._host.permitted.role_arn)
        tagged = host.with_conditions({"StringLike": {"aws:RequestTag/tenant": "?*"}})
        role = Role(self, "Role", assumed_by=SessionTagsPrincipal(tagged))
        self._host.allow("sts:AssumeRole", "sts:TagSession", on=[role.role_arn])
        self._host.add_environment("TENANT_ROLE", role.role_arn)
        return role


def _is_narrow(value: str | Sequence[str]) -> bool:
    return all(NARROW.fullmatch(text) for text in ([value] if isinstance(value, str) else value))
