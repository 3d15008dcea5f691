"""Who operates a stage: whom the setting names, and which settings would let anybody be one."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import Caller
from mcp_tasks.limits.operators import check_operators, check_tenant_of_operators
from mcp_tasks.security.operators import Operators

GRACE = Caller(tenant="ops", subject="grace", scopes=frozenset({"admin", "read"}))
OPERATORS = Operators(tenant="ops")


@dataclass
class Issuer:
    """What an issuer's tokens name."""

    issuer: str
    tenant: str = ""
    tenant_prefix: str = ""
    same_callers_as: str = ""


ANY, OPS, GUESTS = Issuer("any"), Issuer("ops", tenant="ops"), Issuer("guests", tenant_prefix="guests:")


def test_an_operator_is_of_the_tenant_and_has_the_scope() -> None:
    assert OPERATORS.include(GRACE)
    assert Operators(tenant="ops", scope="read").include(GRACE)
    assert Operators(tenant="ops", subjects=frozenset({"grace"})).include(GRACE)


@pytest.mark.parametrize(
    "changed",
    [
        {"tenant": "acme"},
        {"tenant": "Ops"},
        {"tenant": "ops "},
        {"tenant": "ops\x00"},
        {"tenant": "\u043eps"},
        {"tenant": "ops#grace"},
        {"tenant": "admin"},
        {"scopes": frozenset()},
        {"scopes": frozenset({"Admin", "admin:read", "admins", "adm in"})},
        {"scopes": frozenset(), "roles": frozenset({"admin"})},
        {"tenant": "acme", "actor": {"sub": "grace", "tenant": "ops"}},
        {"identified": False},
    ],
    ids=" ".join,
)
def test_nobody_else_is(changed: dict[str, Any]) -> None:
    assert not OPERATORS.include(replace(GRACE, **changed))


ACTORS = st.recursive(
    st.builds(lambda sub: {"sub": sub}, st.sampled_from(["grace", "ada", "agent"])),
    lambda inner: st.builds(
        lambda sub, act: {"sub": sub, "act": act}, st.sampled_from(["grace", "ada", "agent"]), inner
    ),
    max_leaves=4,
)


@given(actor=ACTORS, listed=st.booleans())
def test_an_actor_makes_nobody_an_operator_and_takes_it_from_nobody(actor: Any, listed: bool) -> None:
    operators = Operators(tenant="ops", subjects=frozenset({"grace"} if listed else ()))

    assert operators.include(replace(GRACE, actor=actor))
    for other in (replace(GRACE, subject="ada", scopes=frozenset({"read"})), replace(GRACE, tenant="acme")):
        assert not operators.include(replace(other, actor={"sub": "grace", "scope": "admin", "act": actor}))
    assert operators.include(replace(GRACE, subject="ada", actor={"sub": "grace", "act": actor})) is not listed


def test_where_they_are_listed_no_other_subject_is_one() -> None:
    listed = Operators(tenant="ops", subjects=frozenset({"grace"}))

    others = ("heidi", "Grace", "grace ", "grace#1")
    assert not any(listed.include(replace(GRACE, subject=each)) for each in others)
    assert not any(listed.include(replace(GRACE, subject=each, client_id="grace")) for each in others)


def test_by_default_there_are_none() -> None:
    assert Operators.of({}) is None


def test_a_setting_is_read() -> None:
    given = {"tenant": "ops", "scope": "operate", "subjects": ["grace"]}

    assert Operators.of(given) == Operators(tenant="ops", scope="operate", subjects=frozenset({"grace"}))
    assert Operators.of({"tenant": "ops"}) == OPERATORS


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("ops", "an object"),
        ({"scope": "admin"}, "needs the tenant"),
        ({"tenant": ""}, "needs the tenant"),
        ({"tenant": "ops", "role": "admin"}, "has 'role'"),
        ({"tenant": "ops", "scope": ""}, "no scope"),
        ({"tenant": "ops", "scope": "a b"}, "no scope"),
        ({"tenant": "ops", "scope": "a$b"}, "no scope"),
        ({"tenant": "ops", "scope": 'a"b'}, "no scope"),
        ({"tenant": "ops", "scope": None}, "no scope"),
        ({"tenant": "ops", "subjects": "grace"}, "is a list"),
        ({"tenant": "ops", "subjects": [""]}, "is a list"),
        ({"tenant": "ops", "subjects": [7]}, "is a list"),
    ],
)
def test_a_setting_that_says_something_else_is_refused(given: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_operators(given)


@pytest.mark.parametrize(
    ("given", "issuers"),
    [
        ({}, [ANY]),
        ({"tenant": "ops"}, [OPS]),
        ({"tenant": "ops"}, [ANY, OPS, GUESTS]),
        ({"tenant": "ops"}, [OPS, Issuer("moved", same_callers_as="ops")]),
        ({"tenant": "ops", "subjects": ["grace"]}, [ANY]),
    ],
)
def test_operators_of_a_tenant_that_nobody_else_can_name_are_accepted(given: Any, issuers: list[Issuer]) -> None:
    check_tenant_of_operators(given, issuers)


@pytest.mark.parametrize(
    ("given", "issuers"),
    [
        ({"tenant": "ops"}, [ANY]),
        ({"tenant": "ops", "subjects": []}, [ANY]),
        ({"tenant": "opsy"}, [ANY, OPS]),
        ({"tenant": "guests:ops"}, [ANY, OPS, GUESTS]),
        ({"tenant": "guests:"}, [OPS, GUESTS]),
    ],
)
def test_operators_of_a_tenant_that_tokens_name_are_refused(given: Any, issuers: list[Issuer]) -> None:
    with pytest.raises(ValueError, match="give them an issuer of their own, with tenant="):
        check_tenant_of_operators(given, issuers)
