"""The issuers of a stage: which are accepted, and who is told of them."""

import json
import re
from typing import Any

import pytest
from aws_cdk import App

from infra import Tokens
from infra.issuers import accepted
from infra.settings import StageSettings
from mcp_tasks.adapters.jwt.settings import AuthSettings, issuers_of
from tests.infra.assembly import TOKENS, UNBUNDLED, Assembly, flat, synthesise_once

GUESTS = {"issuer": "https://guests.acme.dev/", "audience": "https://tasks.acme.dev/mcp", "jwks_url": "https://g.dev/k"}
SEVERAL = [{**TOKENS, "scopes": ["a", "b"]}, {**GUESTS, "scopes": ["b", "c"], "tenant_prefix": "guests:"}]
PLAIN = Tokens(issuer=TOKENS["issuer"], audience=TOKENS["audience"], jwks_url=TOKENS["jwks_url"])
POOL = {"issuer": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "jwks_url": "https://cognito.dev/k"}


def stage(**settings: Any) -> StageSettings:
    """Return the settings of a stage."""
    return StageSettings.from_context(App(context={"stages": {"dev": settings}}).node)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage with two issuers, synthesised."""
    return synthesise_once(tmp_path_factory, "several", {**UNBUNDLED, "issuers": json.dumps(SEVERAL)})


def test_the_authorizer_reads_what_the_stage_says_of_each_issuer(several: Assembly) -> None:
    (function,) = (each for name, each in several.of("AWS::Lambda::Function").items() if "authorize" in name)
    environment = function["Environment"]["Variables"]

    assert environment.keys() == {"LOG_LEVEL", "RELEASE", "SERVICE_DATA", "ISSUERS", "TABLE_NAME"}
    assert issuers_of(environment) == (
        AuthSettings(issuer=TOKENS["issuer"], audiences=(TOKENS["audience"],), jwks_url=TOKENS["jwks_url"]),
        AuthSettings(
            issuer=GUESTS["issuer"],
            audiences=(GUESTS["audience"],),
            jwks_url=GUESTS["jwks_url"],
            tenant_prefix="guests:",
        ),
    )


def test_clients_are_told_of_all_issuers_and_scopes(several: Assembly) -> None:
    """RFC 9728, 2: `authorization_servers`."""
    methods = several.of("AWS::ApiGateway::Method").values()
    mocks = [each for each in methods if each["HttpMethod"] == "GET" and each["Integration"]["Type"] == "MOCK"]
    answers = [each["Integration"]["IntegrationResponses"][0]["ResponseTemplates"] for each in mocks]
    texts = [flat(answer["application/json"]) for answer in answers]
    documents = [json.loads(text) for text in texts if not text.startswith("<!doctype html>")]

    assert [each["authorization_servers"] for each in documents] == [[TOKENS["issuer"], GUESTS["issuer"]]] * 2
    assert [each["scopes_supported"] for each in documents] == [["a", "b", "c"]] * 2


@pytest.mark.parametrize("name", ["cloud", "prod", "several", "local"])
def test_no_stage_has_a_method_that_calls_a_function_for_whoever_comes(
    name: str, request: pytest.FixtureRequest
) -> None:
    assembly: Assembly = request.getfixturevalue(name)
    calling = [
        (method["AuthorizationType"], method["HttpMethod"])
        for method in assembly.of("AWS::ApiGateway::Method").values()
        if method["Integration"]["Type"] != "MOCK"
    ]

    preflights = {("NONE", "OPTIONS")} if name == "local" else set()
    assert {*calling} == {("CUSTOM", verb) for verb in ("GET", "POST", "DELETE")} | preflights


def test_every_setting_of_an_issuer_reaches_the_authorizer() -> None:
    claims = {"tenant_claim": "org", "subject_claim": "uid", "scope_claim": "scp", "roles_claim": "groups"}
    named = {**GUESTS, **claims, "algorithms": ["ES384"], "max_token_age_seconds": 60, "tenant": "guests"}
    copied = {**GUESTS, "issuer": "https://old.acme.dev/", "same_callers_as": GUESTS["issuer"]}
    issuers = stage(issuers=[TOKENS, named, copied]).issuers

    assert [each.variables.get("TENANT") for each in issuers] == [None, "guests", None]
    first, second, third = issuers_of({"ISSUERS": json.dumps([each.variables for each in issuers])})
    assert (first.tenant, first.tenant_claim) == ("", "tenant")
    assert (second.tenant_claim, second.subject_claim, second.scope_claim) == ("org", "uid", "scp")
    assert (first.roles_claim, second.roles_claim) == ("roles", "groups")
    assert (second.algorithms, second.max_age.total_seconds(), second.tenant) == (("ES384",), 60, "guests")
    assert (third.issuer, third.tenant) == ("https://old.acme.dev/", "guests")


def test_a_user_pool_may_name_its_clients_in_place_of_an_audience() -> None:
    (issuer,) = stage(**POOL, client_ids=["4abc", "5def"], tenant="shop").issuers

    assert issuers_of(issuer.variables) == (
        AuthSettings(issuer=POOL["issuer"], client_ids=("4abc", "5def"), jwks_url=POOL["jwks_url"], tenant="shop"),
    )


def test_the_only_issuer_of_a_stage_may_stand_in_the_list() -> None:
    assert stage(issuers=[TOKENS]).issuers == stage(**TOKENS).issuers == accepted(PLAIN)


def test_issuers_on_the_command_line_replace_those_of_the_stage() -> None:
    context = {"stages": {"dev": TOKENS}, "issuers": json.dumps([GUESTS])}

    (issuer,) = StageSettings.from_context(App(context=context).node).issuers
    assert issuer.issuer == GUESTS["issuer"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"issuers": []}, "Stage 'dev' in cdk.json: there is no issuer"),
        ({"issuers": TOKENS}, "issuers is a list, such as [{"),
        ({"issuers": [TOKENS, GUESTS]}, "could name the same tenants: give one of them a tenant, or a tenant_prefix"),
        ({"issuers": [TOKENS, TOKENS]}, "issuer 'https://login.acme.dev/' is listed twice."),
        ({"issuers": ["https://login.acme.dev/"]}, 'issuer 1 is an object, such as {"issuer": "https://..."}, not "ht'),
        ({"issuers": [TOKENS, {"issuer": "https://a.dev"}]}, "issuer 2 lacks audience, jwks_url."),
        ({"issuers": [{**TOKENS, "tenants": "a"}]}, "issuer 1 has a setting 'tenants': there is no such setting."),
        ({"issuers": [{**TOKENS, "algorithms": "RS256"}]}, 'issuer 1 has algorithms, which is a list, such as ["RS25'),
        ({"issuers": [{**TOKENS, "tenant": 7}]}, "issuer 1 has tenant, which is a text, not 7."),
        ({"issuers": [GUESTS], "audience": "a"}, "it has a list of issuers, and audience beside it: write that into"),
        ({**TOKENS, "same_callers_as": TOKENS["issuer"]}, "same_callers_as is another issuer of the stage"),
        ({**TOKENS, "client_ids": ["4abc"]}, "issuer 'https://login.acme.dev/' has either an audience, or client_ids."),
        ({**POOL, "client_ids": []}, "has either an audience, or client_ids."),
        ({**POOL, "client_ids": "4abc"}, 'client_ids is a list, such as ["4abc"], not "4abc".'),
        (
            {"issuers": [{**TOKENS, "issuer": f"https://{each}.dev", "tenant": f"{each}"} for each in range(40)]},
            "of 3072: list fewer.",
        ),
    ],
)
def test_issuers_that_cannot_be_meant_are_rejected_in_a_sentence(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(says)):
        stage(**settings)
