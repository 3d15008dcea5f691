"""The console at the API's root, as the gateway answers it."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, CfnParameter, Stack

from infra.server_settings import ServerSettings
from infra.tokens import Tokens
from mcp_tasks.page import console, console_headers
from tests.infra.assembly import UNBUNDLED, Assembly, flat
from tests.infra.test_server import add

CLIENT = "console-4711"


def page(assembly: Assembly, http: str = "GET") -> Any:
    """Return the method at the root."""
    (found,) = (
        method
        for name, method in assembly.of("AWS::ApiGateway::Method").items()
        if name.endswith(f"Api{http}") and method["HttpMethod"] == http
    )
    return found


def answer(assembly: Assembly, http: str = "GET") -> tuple[dict[str, str], str]:
    """Return the headers and the body of the page."""
    (response,) = page(assembly, http)["Integration"]["IntegrationResponses"]
    headers = {name.rpartition(".")[2]: flat(value)[1:-1] for name, value in response["ResponseParameters"].items()}
    return headers, flat(response["ResponseTemplates"]["application/json"])


def served(tmp_path: Path, issuer: str = "https://id.example.com/pool", **settings: Any) -> Assembly:
    """Synthesize a server with these settings."""
    app = App(context=dict(UNBUNDLED), outdir=str(tmp_path / "out"))
    stack = Stack(app, "Shop")
    if issuer == "unknown":
        issuer = CfnParameter(stack, "Issuer").value_as_string
    tokens = Tokens(issuer=issuer, audience="https://shop.example.com/mcp", jwks_url="https://id.example.com/keys")
    add(stack, tokens=tokens, settings=ServerSettings(**settings))
    app.synth()
    return Assembly(folder=tmp_path / "out", name="Shop")


def test_everybody_may_read_it_and_no_function_serves_it(cloud: Assembly) -> None:
    headers, body = answer(cloud)

    assert page(cloud)["AuthorizationType"] == "NONE"
    assert page(cloud)["Integration"]["Type"] == "MOCK"
    assert (headers, body) == (console_headers(), console())


def test_head_of_the_page_is_answered_as_that_of_a_get_without_its_body(cloud: Assembly) -> None:
    headers, body = answer(cloud, "HEAD")

    assert page(cloud, "HEAD")["AuthorizationType"] == "NONE"
    assert (headers, body) == (console_headers(), "")


def test_with_a_client_it_may_fetch_from_its_issuer(tmp_path: Path) -> None:
    headers, body = answer(served(tmp_path, page_client_id=CLIENT, page_origins=["https://login.example.com"]))

    assert "connect-src 'self' https://id.example.com https://login.example.com;" in headers["content-security-policy"]
    assert body == console(CLIENT)


def test_of_an_issuer_that_cloudformation_alone_knows_all_paths_are_allowed(tmp_path: Path) -> None:
    headers, _ = answer(served(tmp_path, "unknown", page_client_id=CLIENT))

    assert "connect-src 'self' <Issuer>/;" in headers["content-security-policy"]


def test_a_header_ends_in_no_quote_of_its_own(cloud: Assembly) -> None:
    """The gateway's own quotes are around it, and who strips those must not take another."""
    headers, _ = answer(cloud)

    assert not [value for value in headers.values() if value.startswith("'") or value.endswith("'")]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"page_client_id": "a b"}, "page_client_id is the id of a public client"),
        ({"page_client_id": 7}, "page_client_id is a text, not 7"),
        ({"page_origins": "https://a.example"}, "page_origins is a list, not "),
        ({"page_origins": ["https://a.example/"]}, "without a path or a slash"),
        ({"page_origins": ["'unsafe-inline'"]}, "without a path or a slash"),
        ({"page_origins": ["*"]}, "without a path or a slash"),
    ],
)
def test_a_setting_that_could_be_more_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ServerSettings(**settings)
