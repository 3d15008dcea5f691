"""Tenants' shares of the gateway's rate: a usage plan whose keys the authorizer names."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack, Validations
from cdk_nag import AwsSolutionsChecks

from functions.authorize.handler import admission
from infra import ServerSettings
from mcp_tasks.limits.tenants import MAX_API_KEYS
from mcp_tasks.security.tenancy import Caller
from tests.infra.assembly import UNBUNDLED, Assembly, flat
from tests.infra.test_endpoint import methods
from tests.infra.test_server import add, synthesised

TENANTS = [f"tenant-{number}" for number in range(1_000)]


def deployed(folder: Path, *servers: ServerSettings) -> Assembly:
    """Synthesise an app with a server for each of the settings; a finding of cdk-nag fails."""
    app = App(outdir=str(folder), context=dict(UNBUNDLED))
    Validations.of(app).add_plugins(AwsSolutionsChecks())
    stack = Stack(app, "Shop")
    for number, settings in enumerate(servers):
        add(stack, f"Server{number}", settings=settings, account_logs_role=number == 0)
    return synthesised(app, stack)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A server of whose 300 requests a second one tenant gets a quarter."""
    origins = ["https://app.acme.dev"]
    settings = ServerSettings(requests_per_second=300, tenant_share=0.25, allowed_origins=origins)
    return deployed(tmp_path_factory.mktemp("shared"), settings)


def authorizers_prefix(assembly: Assembly, server: str) -> str:
    function = assembly.of("AWS::Lambda::Function")[f"{server}Functionsauthorize"]
    return flat(function["Environment"]["Variables"]["API_KEY_PREFIX"])


def values(assembly: Assembly) -> dict[str, str]:
    """The values of the API keys by their logical ids."""
    return {name: flat(key["Value"]) for name, key in assembly.of("AWS::ApiGateway::ApiKey").items()}


def named_for(tenant: str) -> str:
    caller = Caller(tenant=tenant, subject="ada")
    key = admission(caller, method_arn="arn:aws:execute-api:eu-west-1:123456789012:a/prod/POST/mcp")[
        "usageIdentifierKey"
    ]
    assert isinstance(key, str)
    return key


def test_a_key_may_use_the_tenants_share_of_the_stages_rate_and_burst(shared: Assembly) -> None:
    (plan,) = shared.of("AWS::ApiGateway::UsagePlan").values()
    (stage,) = plan["ApiStages"]

    assert plan["Throttle"] == {"RateLimit": 75, "BurstLimit": 75}
    assert "Quota" not in plan
    assert flat(stage["ApiId"]) == "<Server0EndpointApi>"
    assert flat(stage["Stage"]) == "<Server0EndpointApiDeploymentStageprod>"


def test_all_keys_are_of_the_plan(shared: Assembly) -> None:
    members = shared.of("AWS::ApiGateway::UsagePlanKey").values()

    assert sorted(flat(each["KeyId"]) for each in members) == sorted(f"<{name}>" for name in values(shared))
    assert {flat(each["UsagePlanId"]) for each in members} == {"<Server0TenantSharesPlan>"}
    assert {each["KeyType"] for each in members} == {"API_KEY"}


def test_the_keys_that_the_authorizer_names_are_exactly_those_of_the_plan(
    shared: Assembly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY_PREFIX", authorizers_prefix(shared, "Server0"))

    assert {named_for(tenant) for tenant in TENANTS} == set(values(shared).values())
    assert len(values(shared)) == MAX_API_KEYS


def test_api_gateway_would_take_the_keys(shared: Assembly) -> None:
    """Letters and digits, 20 to 128; the id of an API has ten."""
    for value in values(shared).values():
        real = value.replace("<Server0EndpointApi>", "a1b2c3d4e5")
        assert real.isalnum()
        assert 20 <= len(real) <= 128


def test_a_request_is_counted_where_there_is_a_caller_and_nowhere_else(shared: Assembly) -> None:
    counted = {
        (name, method["AuthorizationType"]): method.get("ApiKeyRequired", False)
        for name, method in methods(shared).items()
    }
    (api,) = shared.of("AWS::ApiGateway::RestApi").values()

    assert api["ApiKeySourceType"] == "AUTHORIZER"
    assert {kind for _, kind in counted} == {"CUSTOM", "NONE"}
    for (_, kind), required in counted.items():
        assert required is (kind == "CUSTOM")


def test_at_a_share_of_1_the_authorizer_names_keys_and_no_method_needs_one(tmp_path: Path) -> None:
    """What is deployed first, so that every cached answer of the authorizer has a key when one is needed."""
    prepared = deployed(tmp_path, ServerSettings(tenant_share=1))
    (plan,) = prepared.of("AWS::ApiGateway::UsagePlan").values()
    (api,) = prepared.of("AWS::ApiGateway::RestApi").values()

    assert plan["Throttle"] == {"RateLimit": 200, "BurstLimit": 200}
    assert api["ApiKeySourceType"] == "AUTHORIZER"
    assert len(values(prepared)) == MAX_API_KEYS
    assert authorizers_prefix(prepared, "Server0") == "<Server0EndpointApi>ShareOfRequestsPerSecond"
    assert not any(method.get("ApiKeyRequired") for method in methods(prepared).values())


def test_without_a_share_nothing_is_deployed_for_it(cloud: Assembly) -> None:
    (api,) = cloud.of("AWS::ApiGateway::RestApi").values()

    assert "ApiKeySourceType" not in api
    assert not [kind for each in cloud.resources.values() if "Key" in (kind := each["Type"]) or "UsagePlan" in kind]
    assert "ApiKeyRequired" not in str(methods(cloud))
    assert "API_KEY_PREFIX" not in str(cloud.of("AWS::Lambda::Function"))


def test_servers_of_one_account_share_no_key(tmp_path: Path) -> None:
    two = deployed(tmp_path, ServerSettings(tenant_share=0.5), ServerSettings(tenant_share=0.5))

    assert len(set(values(two).values())) == 2 * MAX_API_KEYS
    for server in ("Server0", "Server1"):
        prefix = authorizers_prefix(two, server)
        assert {name for name, value in values(two).items() if value.startswith(prefix)} == {
            f"{server}TenantSharesKey{number}" for number in range(MAX_API_KEYS)
        }


@pytest.mark.parametrize("share", [0, -1, 1.01, True, "0.5", float("nan"), [0.5]])
def test_a_share_that_is_no_part_of_the_whole_is_refused(share: Any) -> None:
    with pytest.raises(ValueError, match=r"^tenant_share is a number above 0, and 1 at most, such as 0\.5, not "):
        ServerSettings(tenant_share=share)


def test_a_share_of_less_than_a_request_a_second_is_refused() -> None:
    ServerSettings(tenant_share=0.1, requests_per_second=10)

    with pytest.raises(ValueError, match=r"^tenant_share is 0\.1, of 9 requests_per_second: "):
        ServerSettings(tenant_share=0.1, requests_per_second=9)
