"""The sessions of tenants: one for each, tagged with its name, and begun anew before it could end within a run."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters import tenant_role
from mcp_tasks.adapters.tenant_role import TenantRole
from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME, TENANT_SESSION
from mcp_tasks.security.tenancy import Caller
from tests.cloud import Cloud
from tests.kit import ADA, BOB, EVE, FixedClock

ROLE = "arn:aws:iam::123456789012:role/tenants"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def asked(aws: Cloud) -> Iterator[list[dict[str, Any]]]:
    """What STS is asked for."""
    asked: list[dict[str, Any]] = []

    def keep(params: dict[str, Any], **_: Any) -> None:
        asked.append(params)

    aws.sts.meta.events.register("provide-client-params", keep, unique_id="asked")
    yield asked

    aws.sts.meta.events.unregister("provide-client-params", unique_id="asked")


@pytest.fixture
def role(aws: Cloud, clock: FixedClock) -> TenantRole:
    return TenantRole(client=lambda: aws.sts, role=ROLE, clock=clock)


def test_a_session_has_the_tenant_as_its_one_tag(role: TenantRole, asked: list[dict[str, Any]]) -> None:
    given = role.credentials(Caller(tenant="Ünal/~", subject="ada"))

    (call,) = asked
    assert call["RoleArn"] == ROLE
    assert call["Tags"] == [{"Key": "tenant", "Value": "=C3=9Cnal=2F=7E"}]
    assert call["DurationSeconds"] == 3600
    assert given.session_token is not None
    # Nor is a tag handed on, should a policy ever let the session take another role.
    assert "TransitiveTagKeys" not in call


def test_the_subjects_of_a_tenant_share_its_session_and_tenants_do_not(
    role: TenantRole, asked: list[dict[str, Any]]
) -> None:
    assert role.credentials(ADA) == role.credentials(BOB)
    assert role.credentials(EVE) != role.credentials(ADA)
    assert [call["Tags"][0]["Value"] for call in asked] == [ADA.tenant, EVE.tenant]


def test_whoever_is_given_a_session_can_use_it_for_as_long_as_a_run_lasts(
    role: TenantRole, clock: FixedClock, asked: list[dict[str, Any]]
) -> None:
    first = role.credentials(ADA)
    clock.advance(TENANT_SESSION - RUN_TICKET_LIFETIME)
    assert role.credentials(ADA) == first
    clock.advance(timedelta(seconds=1))

    assert role.credentials(ADA) != first
    assert len(asked) == 2


def test_a_tenant_costs_a_process_one_call_in_43_minutes(
    role: TenantRole, clock: FixedClock, asked: list[dict[str, Any]]
) -> None:
    for _ in range(24 * 60):
        role.credentials(ADA)
        clock.advance(MINUTE)

    assert len(asked) <= 24 * 60 // 43 + 1


def test_a_process_keeps_so_many_sessions_and_forgets_the_oldest(
    role: TenantRole, asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenant_role, "MAX_SESSIONS", 3)
    for tenant in ("a", "b", "c", "d", "b", "c", "d", "a"):
        role.credentials(Caller(tenant=tenant, subject="s"))

    assert [call["Tags"][0]["Value"] for call in asked] == ["a", "b", "c", "d", "a"]


def test_what_is_kept_secret_is_not_printed(role: TenantRole) -> None:
    given = role.credentials(ADA)

    assert given.access_key in repr(given)
    assert given.secret_key not in repr(given)
    assert str(given.session_token) not in repr(given)
    assert given.secret_key not in repr(role)
