"""Which issuers a stage may have beside each other: a tenant of one is never a tenant of another."""

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol, TypeVar


class Tenants(Protocol):
    """An issuer, and what becomes of the tenants that its tokens name.

    All of its tokens are of `tenant`; or `tenant_prefix` precedes what the token names; or, with neither, that is the
    tenant as it is.  With `same_callers_as` they are as with that other issuer, and the same names the same caller.
    """

    @property
    def issuer(self) -> str: ...  # noqa: D102
    @property
    def tenant(self) -> str: ...  # noqa: D102
    @property
    def tenant_prefix(self) -> str: ...  # noqa: D102
    @property
    def same_callers_as(self) -> str: ...  # noqa: D102


T = TypeVar("T", bound=Tenants)


def check_issuers(issuers: Sequence[Tenants]) -> None:
    """Raise `ValueError`, whose text says what to write instead, for issuers that could name one caller unawares."""
    if not issuers:
        raise ValueError("there is no issuer: without one, nobody could be told from anybody else")
    names = [each.issuer for each in issuers]
    for each in issuers:
        if names.count(each.issuer) > 1:
            raise ValueError(f"issuer {each.issuer!r} is listed twice")
        if sum(map(bool, (each.tenant, each.tenant_prefix, each.same_callers_as))) > 1:
            raise ValueError(f"issuer {each.issuer!r} has one of tenant, tenant_prefix and same_callers_as")
    own = [each for each in issuers if not each.same_callers_as]
    for each in issuers:
        if each.same_callers_as:
            origin(each, own)
    for one, other in combinations(own, 2):
        _refuse_shared(one, other)


def origin(issuer: T, issuers: Sequence[T]) -> T:
    """Return the issuer whose tenants these are: itself, or the one that it names; raises `ValueError`."""
    if not issuer.same_callers_as:
        return issuer
    for each in issuers:
        if each.issuer == issuer.same_callers_as and not each.same_callers_as:
            return each
    raise ValueError(
        f"issuer {issuer.issuer!r}: same_callers_as is another issuer of the stage, which has no such setting itself"
    )


def reserves(issuer: Tenants, tenant: str) -> bool:
    """Return whether an issuer alone has a tenant of this name, because its settings say so."""
    if issuer.tenant:
        return tenant == issuer.tenant
    return bool(issuer.tenant_prefix) and tenant.startswith(issuer.tenant_prefix)


def _refuse_shared(one: Tenants, other: Tenants) -> None:
    first, second = (each.tenant or each.tenant_prefix for each in (one, other))
    if not first and not second:
        raise ValueError(
            f"issuers {one.issuer!r} and {other.issuer!r} could name the same tenants: give one of them a tenant, or a "
            "tenant_prefix; or, if the same names are the same caller, same_callers_as"
        )
    if (first and reserves(other, first)) or (second and reserves(one, second)):
        raise ValueError(f"issuers {one.issuer!r} and {other.issuer!r} share tenants: {first!r} and {second!r} overlap")
