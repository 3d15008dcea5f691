"""The login of the console: at an authorization server of others, by PKCE, with a token that the tab alone has."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from urllib.request import Request, urlopen

import pytest

from infra.resource_metadata import ResourceMetadata
from local.bearer import bearers
from local.gateway import PAGE, PATH, Admit, Gateway
from local.http_server import Answer, Head, Reply, listen, running
from local.issuer import Issuer
from local.serve import memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.page import console, console_headers
from mcp_tasks.wire.revision import Server
from tests.clients.authorization import CALL, admitting, authorization_server, settings
from tests.page.conftest import Driven
from tests.page.rev_2026_07_28.sample_tools import TOOLS

pytestmark = pytest.mark.slow

MakeServer = Callable[[], Server]


def in_memory() -> Server:
    return memory_server(Features.of(TOOLS), {})


@contextmanager
def guarded(
    issuer: str, client: bool, admit: Admit | None = None, *, operator_scope: str = "", make: MakeServer = in_memory
) -> Iterator[str]:
    """Serve tools to the tokens of an issuer, and the console as API Gateway does."""
    with listen() as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        page = Reply(
            status=200,
            headers=[*console_headers([issuer] if client else []).items()],
            body=console(registered(issuer, f"{address}/") if client else "", operator_scope).encode(),
        )
        metadata = ResourceMetadata(base_url=address, issuers=[issuer], scopes=[CALL])
        server = replace(make(), metadata_url=metadata.url)
        admits = admit or admitting(settings(issuer, f"{address}{PATH}"))
        gateway = Gateway(server=server, admit=admits, metadata=metadata)

        def handler(head: Head) -> Reply | Answer:
            return page if head.path == PAGE else gateway(head)

        with running(handler, listening):
            yield f"{address}/"


def registered(issuer: str, redirect: str) -> str:
    """Register a public client, and return its id."""
    client: Mapping[str, object] = {
        "redirect_uris": [redirect],
        "application_type": "native",
        "token_endpoint_auth_method": "none",
        "scope": CALL,
    }
    request = Request(f"{issuer}/reg", json.dumps(client).encode(), {"content-type": "application/json"})
    with urlopen(request) as reply:
        return str(json.load(reply)["client_id"])


def test_a_person_logs_in_and_nothing_of_the_token_outlives_the_tab(driven: Driven) -> None:
    with authorization_server("any") as issuer, guarded(issuer, client=True) as address:
        found = driven("logs_in", address, given={"origins": [issuer]})

    assert found["kept"] == {"cookie": ""}
    assert found["url"] == f"{address}#/tasks"
    assert found["after"] == address


def test_without_a_client_a_token_is_typed(driven: Driven) -> None:
    with Issuer() as issuer, guarded(issuer.issuer, client=False, admit=bearers(issuer)) as address:
        found = driven("takes_a_token", address, given={"token": issuer.token("acme", "ada")})

    assert found == {"url": address}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_login_has_no_barrier(driven: Driven, scheme: str) -> None:
    with Issuer() as issuer, guarded(issuer.issuer, client=False, admit=bearers(issuer)) as address:
        assert driven("login_audited", address, scheme=scheme, given={"label": scheme}) == []
