"""The endpoint in the gateway's configuration."""

import json
import re
from typing import Any

import pytest
from aws_cdk import Stack

from infra.endpoint import Endpoint
from infra.function_code import functions_of_revisions
from infra.server_settings import ServerSettings
from tests.infra.assembly import Assembly, flat

WELL_KNOWN = "EndpointApiwellknownoauthprotectedresource"


def methods(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """Methods by name: resource and HTTP method."""
    return {name.removeprefix("EndpointApi"): method for name, method in assembly.of("AWS::ApiGateway::Method").items()}


def test_the_api_is_regional(cloud: Assembly) -> None:
    (api,) = cloud.of("AWS::ApiGateway::RestApi").values()

    assert api["EndpointConfiguration"] == {"Types": ["REGIONAL"]}


def test_gets_go_to_the_function_for_streams_if_a_revision_has_them_and_all_go_through_the_authorizer(
    cloud: Assembly,
) -> None:
    (streams,) = functions_of_revisions() or {"serve_mcp"}
    served = {
        method["HttpMethod"]: (
            method["AuthorizationType"],
            re.search(r"Functions[a-z]+", flat(method["Integration"]["Uri"])),
        )
        for name, method in methods(cloud).items()
        if name.startswith("mcp")
    }

    assert {verb: (kind, found and found[0]) for verb, (kind, found) in served.items()} == {
        "POST": ("CUSTOM", "Functionsservemcp"),
        "DELETE": ("CUSTOM", "Functionsservemcp"),
        "GET": ("CUSTOM", f"Functions{streams.replace('_', '')}"),
    }


def test_the_paths_are_those_of_a_rest_api_which_takes_each_with_a_slash_at_its_end_too(cloud: Assembly) -> None:
    resources = cloud.of("AWS::ApiGateway::Resource")
    named = {name: each["PathPart"] for name, each in resources.items()}
    above = {name: named.get(each["ParentId"].get("Ref", ""), "/") for name, each in resources.items()}

    assert {(above[name], part) for name, part in named.items()} == {
        ("/", ".well-known"),
        ("/", "mcp"),
        (".well-known", "oauth-protected-resource"),
        ("oauth-protected-resource", "mcp"),
    }
    assert not cloud.of("AWS::ApiGatewayV2::Api")
    called = [each["SourceArn"] for each in cloud.of("AWS::Lambda::Permission").values() if "SourceArn" in each]
    paths = {flat(each).rpartition("/*/")[2] for each in called if "execute-api" in flat(each)}
    assert {path for path in paths if path.endswith("mcp")} == {"POST/mcp", "DELETE/mcp", "GET/mcp"}


@pytest.mark.parametrize("given", ["https://tasks.acme.dev", "https://tasks.acme.dev/"])
def test_a_slash_at_the_end_of_the_public_address_makes_no_difference(given: str) -> None:
    endpoint = Endpoint(Stack(), "Endpoint", name="shop", settings=ServerSettings(public_url=given), logs_role=False)

    assert endpoint.base_url == "https://tasks.acme.dev"


def test_the_authorizer_is_asked_once_for_each_authorization_header(cloud: Assembly) -> None:
    (authorizer,) = cloud.of("AWS::ApiGateway::Authorizer").values()

    assert authorizer["Type"] == "REQUEST"
    assert authorizer["IdentitySource"] == "method.request.header.Authorization"
    assert authorizer["AuthorizerResultTtlInSeconds"] == 60


def test_the_metadata_document_is_at_both_places_for_everybody(cloud: Assembly) -> None:
    public = {name: each for name, each in methods(cloud).items() if each["HttpMethod"] == "GET"}
    public = {name: method for name, method in public.items() if method["AuthorizationType"] == "NONE"}
    public.pop("GET")  # the console, at the root
    (url,) = {flat(document(method)["resource"]) for method in public.values()}

    assert set(public) == {"wellknownoauthprotectedresourceGET", "wellknownoauthprotectedresourcemcpGET"}
    assert {method["Integration"]["Type"] for method in public.values()} == {"MOCK"}
    assert (
        re.sub(r"<EndpointApi\w*>", "<api>", url) == "https://<api>.execute-api.<AWS::Region>.<AWS::URLSuffix>/dev/mcp"
    )
    for method in public.values():
        assert document(method)["authorization_servers"] == ["https://issuer.example.com/"]
        assert document(method)["bearer_methods_supported"] == ["header"]
        assert "scopes_supported" not in document(method)
        assert sent(method)["Access-Control-Allow-Origin"] == "'*'"


def sent(method: dict[str, Any]) -> dict[str, str]:
    """The headers of what a MOCK integration answers."""
    (answer,) = method["Integration"]["IntegrationResponses"]
    return {name.rpartition(".")[2].title(): value for name, value in answer["ResponseParameters"].items()}


def test_the_cors_preflight_of_the_metadata_document_is_at_both_places(cloud: Assembly) -> None:
    options = {name: sent(method) for name, method in methods(cloud).items() if method["HttpMethod"] == "OPTIONS"}

    assert set(options) == {"wellknownoauthprotectedresourceOPTIONS", "wellknownoauthprotectedresourcemcpOPTIONS"}
    for headers in options.values():
        assert headers["Access-Control-Allow-Origin"] == "'*'"
        assert "mcp-protocol-version" in headers["Access-Control-Allow-Headers"]


def test_preflights_are_answered_without_a_token_where_pages_may_call(local: Assembly, cloud: Assembly) -> None:
    (starts_inline,) = (method for name, method in methods(local).items() if name == "mcpOPTIONS")

    assert starts_inline["AuthorizationType"] == "NONE"
    assert "Functionsservemcp" in flat(starts_inline["Integration"]["Uri"])
    assert "mcpOPTIONS" not in methods(cloud)


def test_pages_may_read_what_the_gateway_itself_rejects(local: Assembly, cloud: Assembly) -> None:
    read = {
        answer["ResponseType"]: answer["ResponseParameters"]
        for answer in local.of("AWS::ApiGateway::GatewayResponse").values()
    }

    assert set(read) == {
        *("DEFAULT_4XX", "DEFAULT_5XX", "UNAUTHORIZED", "ACCESS_DENIED", "THROTTLED", "INVALID_API_KEY")
    }
    for headers in read.values():
        assert headers["gatewayresponse.header.Access-Control-Allow-Origin"] == "'*'"
        assert headers["gatewayresponse.header.Access-Control-Expose-Headers"] == "'Retry-After, WWW-Authenticate'"
        assert "gatewayresponse.header.Access-Control-Allow-Credentials" not in headers
    assert "Access-Control" not in str(cloud.of("AWS::ApiGateway::GatewayResponse"))


def document(method: dict[str, Any]) -> dict[str, Any]:
    """What a MOCK integration answers."""
    (answer,) = method["Integration"]["IntegrationResponses"]
    content: dict[str, Any] = json.loads(flat(answer["ResponseTemplates"]["application/json"]))
    return content


def test_a_401_names_the_metadata_document(cloud: Assembly) -> None:
    answers = {answer["ResponseType"]: answer for answer in cloud.of("AWS::ApiGateway::GatewayResponse").values()}
    header = flat(answers["UNAUTHORIZED"]["ResponseParameters"]["gatewayresponse.header.WWW-Authenticate"])

    assert header.startswith("'Bearer resource_metadata=\"https://")
    assert header.endswith("/dev/.well-known/oauth-protected-resource/mcp\"'")


def test_a_token_that_the_authorizer_denies_is_answered_with_401_and_invalid_token(cloud: Assembly) -> None:
    answers = {answer["ResponseType"]: answer for answer in cloud.of("AWS::ApiGateway::GatewayResponse").values()}
    header = flat(answers["ACCESS_DENIED"]["ResponseParameters"]["gatewayresponse.header.WWW-Authenticate"])

    assert answers["ACCESS_DENIED"]["StatusCode"] == "401"
    assert header.startswith('\'Bearer error="invalid_token", resource_metadata="https://')


def test_what_the_gateway_itself_rejects_is_a_json_rpc_error(cloud: Assembly) -> None:
    codes = {
        answer["ResponseType"]: json.loads(
            answer["ResponseTemplates"]["application/json"].replace("$context.error.messageString", '"why"')
        )
        for answer in cloud.of("AWS::ApiGateway::GatewayResponse").values()
    }

    assert codes == {
        "DEFAULT_4XX": {"jsonrpc": "2.0", "error": {"code": -32600, "message": "why"}},
        "DEFAULT_5XX": {"jsonrpc": "2.0", "error": {"code": -32603, "message": "why"}},
        "UNAUTHORIZED": {"jsonrpc": "2.0", "error": {"code": -32600, "message": "why"}},
        "ACCESS_DENIED": {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Unauthorized"}},
        "THROTTLED": {"jsonrpc": "2.0", "error": {"code": -32600, "message": "why"}},
        "INVALID_API_KEY": {
            "jsonrpc": "2.0",
            "error": {"code": -32603, "message": "A deploy is on its way: try again."},
        },
    }


def test_who_is_to_come_back_is_told_when_whatever_the_tenant_did(cloud: Assembly) -> None:
    """A key that is missing is no caller's fault, and a 403 would say so."""
    answers = {answer["ResponseType"]: answer for answer in cloud.of("AWS::ApiGateway::GatewayResponse").values()}
    told = {
        kind: (answers[kind].get("StatusCode"), answers[kind]["ResponseParameters"])
        for kind in ("THROTTLED", "INVALID_API_KEY")
    }

    assert told == {
        "THROTTLED": (None, {"gatewayresponse.header.Retry-After": "'1'"}),
        "INVALID_API_KEY": ("503", {"gatewayresponse.header.Retry-After": "'5'"}),
    }


def test_the_stage_is_throttled_traced_and_logged_with_the_tenant(cloud: Assembly) -> None:
    (stage,) = cloud.of("AWS::ApiGateway::Stage").values()
    (settings,) = stage["MethodSettings"]

    assert stage["StageName"] == "dev"
    assert stage["TracingEnabled"] is True
    assert (settings["ThrottlingRateLimit"], settings["ThrottlingBurstLimit"]) == (200, 200)
    assert json.loads(stage["AccessLogSetting"]["Format"])["authorizer.tenant"] == "$context.authorizer.tenant"
