"""The authorizer: one request of the gateway in, a policy or a rejection out."""

import logging
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from functions.authorize.handler import admission, handler, verifier
from local.issuer import Issuer
from mcp_tasks.adapters.jwt.issuer_keys import KeysUnavailable
from mcp_tasks.limits.tenants import MAX_API_KEYS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.apigateway import caller
from tests.authorizer import request

STAGE = "arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/*"


@pytest.fixture
def issuer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    with Issuer(home=tmp_path) as issuer:
        monkeypatch.setenv("ISSUER", issuer.issuer)
        monkeypatch.setenv("AUDIENCE", issuer.audience)
        monkeypatch.setenv("JWKS_URL", issuer.jwks_url)
        monkeypatch.setenv("ALGORITHMS", issuer.algorithm)
        verifier.cache_clear()
        yield issuer
    verifier.cache_clear()


def test_a_good_token_allows_the_whole_stage_and_names_its_caller(issuer: Issuer) -> None:
    token = issuer.token("acme", "ada", scope="tasks:write tasks:read")

    assert handler(request(f"Bearer {token}"), None) == {
        "principalId": "acme#ada",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": STAGE}],
        },
        "context": {"tenant": "acme", "subject": "ada", "scopes": "tasks:read tasks:write"},
    }


@pytest.mark.parametrize("path", ["POST/mcp", "POST/mcp/", "GET/mcp/", "OPTIONS/mcp"])
def test_a_policy_allows_the_whole_stage_whichever_path_was_asked_for(issuer: Issuer, path: str) -> None:
    event = {**request(f"Bearer {issuer.token('acme', 'ada')}"), "methodArn": STAGE.removesuffix("*") + path}

    (statement,) = handler(event, None)["policyDocument"]["Statement"]

    assert (statement["Effect"], statement["Resource"]) == ("Allow", STAGE)


def test_all_that_the_gateway_passes_on_is_text(issuer: Issuer) -> None:
    admission = handler(request(f"Bearer {issuer.token('açme', 'ada#1')}"), None)

    assert admission["principalId"] == "a%C3%A7me#ada%231"
    assert admission["context"] == {"tenant": "açme", "subject": "ada#1", "scopes": ""}


def test_who_acts_for_the_caller_is_passed_on_as_text(issuer: Issuer) -> None:
    agent = {"sub": "ägent", "act": {"sub": "planner"}}
    told = handler(request(f"Bearer {issuer.token('acme', 'ada', act=agent)}"), None)

    assert told["principalId"] == "acme#ada"
    assert told["context"] == {
        "tenant": "acme",
        "subject": "ada",
        "scopes": "",
        "actor": '{"sub":"\\u00e4gent","act":{"sub":"planner"}}',
    }
    assert caller({"requestContext": {"authorizer": told["context"]}}).actor == agent


def test_the_client_of_a_token_is_passed_on_where_it_has_one(issuer: Issuer) -> None:
    told = handler(request(f"Bearer {issuer.token('acme', 'ada', client_id='console')}"), None)["context"]
    untold = handler(request(f"Bearer {issuer.token('acme', 'ada')}"), None)["context"]

    assert (told["client"], "client" in untold) == ("console", False)
    assert caller({"requestContext": {"authorizer": told}}).client_id == "console"
    assert caller({"requestContext": {"authorizer": untold}}).client_id is None


def test_roles_are_passed_on_as_text_and_may_have_spaces(issuer: Issuer) -> None:
    told = handler(request(f"Bearer {issuer.token('acme', 'ada', roles=['finance', 'Öl & Gas'])}"), None)

    assert told["context"]["roles"] == '["finance","\\u00d6l & Gas"]'
    assert caller({"requestContext": {"authorizer": told["context"]}}).roles == {"finance", "Öl & Gas"}


def test_a_tenant_has_one_api_key_whoever_calls_for_it_and_whatever_they_may(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """API Gateway caches an answer for a token and the whole stage: another one must not count elsewhere."""
    monkeypatch.setenv("API_KEY_PREFIX", "a1b2c3d4e5Share")
    tokens = [issuer.token("acme", "ada"), issuer.token("acme", "eve", scope="tasks:read"), issuer.token("acme", "ada")]

    assert {handler(request(f"Bearer {token}"), None)["usageIdentifierKey"] for token in tokens} == {
        # What release after release has to say: while one replaces another, both name keys for the same plan.
        "a1b2c3d4e5Share7"
    }


def test_tenants_are_spread_over_the_api_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY_PREFIX", "Share")
    callers = [Caller(tenant=f"tenant-{number}", subject="ada") for number in range(1_600)]
    used = Counter(admission(each, method_arn=STAGE)["usageIdentifierKey"] for each in callers)

    assert set(used) == {f"Share{number}" for number in range(MAX_API_KEYS)}
    # 100 on average, with a standard deviation of 10.
    assert 60 < min(used.values()) <= max(used.values()) < 140


@pytest.mark.parametrize("name", ["authorization", "AUTHORIZATION", "Authorization"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_case_of_the_header_and_of_its_scheme_does_not_matter(issuer: Issuer, name: str, scheme: str) -> None:
    event = request(f"{scheme} {issuer.token('acme', 'ada')}", name=name)

    assert handler(event, None)["context"]["subject"] == "ada"


def test_a_gateway_that_lists_no_repeated_headers_is_understood(issuer: Issuer) -> None:
    event = request(f"Bearer {issuer.token('acme', 'ada')}")
    event["multiValueHeaders"] = None

    assert handler(event, None)["context"]["subject"] == "ada"


@pytest.mark.parametrize(
    "template",
    [
        "",
        "TOKEN",
        "Bearer",
        "Bearer ",
        "Basic TOKEN",
        "Bearer TOKEN TOKEN",
        "Bearer TOKEN, Bearer TOKEN",
        "BearerTOKEN",
        "Bearer TOKEN\n",
        "Bearer TOKEN\x0b",
        "\x1cBearer TOKEN",
        "Bearer TOKEN\u00a0",
    ],
)
def test_a_header_that_is_not_one_bearer_token_is_rejected(issuer: Issuer, template: str) -> None:
    event = request(template.replace("TOKEN", issuer.token("acme", "ada")))

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(event, None)


def test_the_white_space_around_a_header_is_no_part_of_it(issuer: Issuer) -> None:
    """RFC 9110 5.5."""
    event = request(f" \t Bearer {issuer.token('acme', 'ada')}\t ")

    assert handler(event, None)["context"]["subject"] == "ada"


def test_no_header_is_rejected(issuer: Issuer) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$") as refused:
        handler(request(), None)

    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_a_request_without_any_headers_is_rejected(issuer: Issuer) -> None:
    event = request() | {"headers": None, "multiValueHeaders": None}

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(event, None)


def test_two_headers_are_rejected_even_if_both_are_good(issuer: Issuer) -> None:
    bearer = f"Bearer {issuer.token('acme', 'ada')}"

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(request(bearer, bearer), None)


def test_two_headers_in_different_case_are_rejected(issuer: Issuer) -> None:
    event = request(f"Bearer {issuer.token('acme', 'ada')}")
    event["multiValueHeaders"]["authorization"] = [f"Bearer {issuer.token('acme', 'eve')}"]

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(event, None)


def test_a_token_in_the_query_string_is_ignored(issuer: Issuer) -> None:
    """A-AUTH-6."""
    event = request() | {"queryStringParameters": {"access_token": issuer.token("acme", "ada")}}

    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(event, None)


def test_the_reason_is_logged_and_the_token_is_not(issuer: Issuer, caplog: pytest.LogCaptureFixture) -> None:
    token = issuer.token("acme", "ada", ttl=timedelta(hours=-1))

    with caplog.at_level(logging.INFO, logger="authorize"):
        denied = handler(request(f"Bearer {token}"), None)

    assert [vars(record)["reason"] for record in caplog.records] == ["expired"]
    assert not any(part in str(vars(record)) for record in caplog.records for part in token.split("."))
    assert denied == {
        "principalId": "nobody",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Deny", "Action": "execute-api:Invoke", "Resource": STAGE}],
        },
    }


def test_an_outage_of_the_issuer_is_not_the_clients_fault(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JWKS_URL", f"{issuer.url}/nothing-here")
    verifier.cache_clear()

    with pytest.raises(KeysUnavailable):
        handler(request(f"Bearer {issuer.token('acme', 'ada')}"), None)
