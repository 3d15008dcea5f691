"""An authorization server of others, and the servers of `make serve` and `make stack` for its tokens."""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from socket import socket
from typing import Any, Final

from functions.authorize.handler import bearer_token
from infra.resource_metadata import ResourceMetadata
from local.bearer import bearers
from local.deploy import deploy
from local.emulator import EXAMPLES, ROOT
from local.gateway import PATH, Admit, Gateway
from local.http_server import Head, listen, running
from local.issuer import Issuer
from local.serve import memory_server
from local.stack import running_stack
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import TokenRejected, TokenVerifier
from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import Caller
from tests.clients.programs import Endpoint

PROGRAM = Path(__file__).with_name("scopes") / "authorization_server.mjs"
FOLDER = ROOT / ".local/node_oidc"

Guarded = Callable[..., Endpoint]
"""Starts an authorization server, and a server for its tokens."""

CALL: Final = "tools:call"
WRITE: Final = "reports:write"
REQUIRED: Final = {"required_scopes": {"call": [CALL], "cancel": ["tasks:cancel"], "answer": ["tasks:answer"]}}
"""Every call needs one scope, which clients are told of; the tool `publish` needs the other one as well."""


@contextmanager
def authorization_server(registered: str) -> Iterator[str]:
    """Run `oidc-provider`, and return its address, which is its issuer identifier too.

    Clients are limited to the scopes that they `registered` with ("kept"), or to none ("any").
    """
    command = ["node", "--input-type=module", "-", "acme", "ada", f"{CALL} {WRITE}", registered]
    with (
        PROGRAM.open() as program,
        subprocess.Popen(command, cwd=FOLDER, stdin=program, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@contextmanager
def guarded_server(issuer: str, tools: str) -> Iterator[str]:
    """Serve tools as `make serve` does, to the tokens of an issuer, and return the URL."""
    with listen() as listening:
        url = _url(listening)
        with running(_gateway(tools, url, issuer, admitting(settings(issuer, url))), listening):
            yield url


@contextmanager
def server_for_callers_alone(tools: str) -> Iterator[Endpoint]:
    """Serve tools to a client that has a token for calls, cannot get another one, and may neither cancel nor answer."""
    with Issuer() as issuer, listen() as listening:
        url = _url(listening)
        with running(_gateway(tools, url, issuer.issuer, bearers(issuer)), listening):
            yield Endpoint(url=url, token=issuer.token("acme", "ada", scope=CALL))


def _url(listening: socket) -> str:
    return f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}"


def _gateway(tools: str, url: str, issuer: str, admit: Admit) -> Gateway:
    metadata = ResourceMetadata(base_url=url.removesuffix(PATH), issuers=[issuer], scopes=[CALL])
    server = replace(memory_server(Features.of_module(tools), REQUIRED), metadata_url=metadata.url)
    return Gateway(server=server, admit=admit, metadata=metadata)


@contextmanager
def guarded_stack(issuer: str, tools: str) -> Iterator[Guarded]:
    """Deploy a stack that accepts the tokens of an issuer; what is returned has it tell clients to ask for `scopes`."""
    context: dict[str, Any] = {**settings(issuer, "its own URL"), **REQUIRED}
    with running_stack(app=EXAMPLES, tools=tools, **context) as stack:
        deployed = ""

        def told(*, scopes: str) -> Endpoint:
            nonlocal deployed
            if scopes != deployed:
                deploy(stack.emulator, stack.app, {**stack.settings, "audience": stack.url, "scopes": scopes.split()})
                deployed = scopes
            return Endpoint(url=stack.url)

        yield told


def asked_of_the_resource(output: dict[str, Any]) -> dict[str, Any]:
    """Leave `offline_access` out of what a client asked for: some want a refresh token as well."""
    return output | {"asked": [scope.replace(" offline_access", "") for scope in output["asked"]]}


def settings(issuer: str, audience: str) -> Mapping[str, str]:
    """Return the authorizer's settings for the tokens of the authorization server."""
    return {"issuer": issuer, "audience": audience, "jwks_url": f"{issuer}/jwks"}


def admitting(given: Mapping[str, str]) -> Admit:
    """Return a function that finds a request's caller by a token that the authorizer would accept."""
    verifier = TokenVerifier(AuthSettings.of({name.upper(): value for name, value in given.items()}))

    def admit(head: Head) -> Caller | None:
        try:
            return verifier.verify(bearer_token({"headers": head.headers}))
        except TokenRejected:
            return None

    return admit
