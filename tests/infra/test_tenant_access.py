"""What is granted to each tenant: nothing unless asked for, and nothing that would not keep tenants apart."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

from infra.tenant_access import OWN_ITEMS, TENANT
from tests.infra.assembly import UNBUNDLED, flat
from tests.infra.test_server import add, synthesised

BUCKET, TABLE = "arn:aws:s3:::bucket", "arn:aws:dynamodb:eu-west-1:123456789012:table/notes"
LISTING: Any = {"StringLike": {"s3:prefix": f"{TENANT}/*"}}


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(App(outdir=str(tmp_path), context=dict(UNBUNDLED)), "Shop")


def made(stack: Stack) -> Any:
    app = stack.node.root
    assert isinstance(app, App)
    return synthesised(app, stack)


def test_without_a_grant_there_is_no_role_and_nobody_who_takes_it(stack: Stack) -> None:
    add(stack)
    found = made(stack)

    assert [name for name in found.of("AWS::IAM::Role") if "TenantAccess" in name] == []
    assert "sts:" not in str(found.of("AWS::IAM::Policy"))
    functions = found.of("AWS::Lambda::Function").values()
    assert [each for each in functions if "TENANT_ROLE" in each["Environment"]["Variables"]] == []


def test_a_grant_is_made_to_the_sessions_and_only_the_host_learns_of_their_role(stack: Stack) -> None:
    server = add(stack)
    server.run_tool.per_tenant.allow("s3:GetObject", on=[f"{BUCKET}/{TENANT}/*"])
    server.run_tool.per_tenant.allow("s3:ListBucket", on=[BUCKET], when=LISTING)
    server.run_tool.per_tenant.allow("dynamodb:Query", on=[TABLE], when=OWN_ITEMS)
    found = made(stack)

    (role,) = (name for name in found.of("AWS::IAM::Role") if "TenantAccess" in name)
    (policy,) = (each for each in found.of("AWS::IAM::Policy").values() if each["Roles"] == [{"Ref": role}])
    statements = policy["PolicyDocument"]["Statement"]
    assert [(each["Action"], each["Resource"], each.get("Condition")) for each in statements] == [
        ("s3:GetObject", f"{BUCKET}/{TENANT}/*", None),
        ("s3:ListBucket", BUCKET, LISTING),
        ("dynamodb:Query", TABLE, OWN_ITEMS),
    ]
    told = {
        each["Handler"]: flat(each["Environment"]["Variables"]["TENANT_ROLE"])
        for each in found.of("AWS::Lambda::Function").values()
        if "TENANT_ROLE" in each["Environment"]["Variables"]
    }
    assert told == {"functions.host_run.handler.handler": f"<{role}.Arn>"}


@pytest.mark.parametrize(
    ("on", "when"),
    [
        ([f"{BUCKET}/*"], None),
        ([BUCKET, f"{BUCKET}/{TENANT}/*"], None),
        # The folders of "acme-2" begin as that of "acme" does.
        ([f"{BUCKET}/{TENANT}*"], None),
        ([f"{BUCKET}/{TENANT}-*"], None),
        ([TABLE], {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [TENANT, "shared"]}}),
        ([BUCKET], {"StringLike": {"s3:prefix": "*"}}),
        ([BUCKET], {"StringLike": {"s3:prefix": f"{TENANT}*"}}),
    ],
)
def test_what_would_be_open_to_all_tenants_is_refused(stack: Stack, on: list[str], when: Any) -> None:
    access = add(stack).run_tool.per_tenant

    with pytest.raises(ValueError, match="open to all tenants: name TENANT"):
        access.allow("s3:GetObject", on=on, when=when)
