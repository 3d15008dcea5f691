"""The official clients log in at an authorization server that knows nothing of this server, and ask it for more scopes.

`oidc-provider` is started on this machine: a client finds it by the metadata that a 401 names, registers itself, and
exchanges the code that its user comes back with, and its PKCE verifier, for a token of this resource.
"""

from typing import Any

import pytest

from tests.clients.authorization import Guarded, asked_of_the_resource
from tests.clients.expected import FIRST, GREETING, MODES, STEPPED_UP, WIDER, in_each_revision
from tests.clients.programs import Endpoint, node, python

pytestmark = pytest.mark.clients


def typescript(endpoint: Endpoint, revision: str) -> dict[str, Any]:
    return asked_of_the_resource(node("scopes/typescript_v2", endpoint, MODES[revision]))


def python_2(endpoint: Endpoint, revision: str) -> dict[str, Any]:
    return asked_of_the_resource(python("client_v2", "scopes.python_v2", endpoint, MODES[revision]))


@in_each_revision
def test_the_typescript_client_2_asks_for_the_scope_that_a_tool_needs(guarded: Guarded, revision: str) -> None:
    assert typescript(guarded(), revision) == STEPPED_UP | {"revision": revision}


@in_each_revision
def test_the_python_client_2_asks_for_the_scope_that_a_tool_needs(guarded: Guarded, revision: str) -> None:
    assert python_2(guarded(), revision) == STEPPED_UP | {"revision": revision}


# They register with the scopes that they ask for at first, and never register again.  RFC 7591, 2, lets a server keep
# them to these; the SDKs' own servers do not:  github.com/modelcontextprotocol/typescript-sdk/pull/983
@in_each_revision
def test_the_typescript_client_2_gets_no_more_than_it_registered_for(guarded: Guarded, revision: str) -> None:
    output = typescript(guarded(registered="kept"), revision)

    refused = {"error": ["OAuthError", "invalid_scope", None], "afterwards": GREETING, "asked": [FIRST, WIDER]}
    assert output == {"revision": revision, "greeting": GREETING} | refused


@in_each_revision
def test_the_python_client_2_ends_where_it_gets_no_more_than_it_registered_for(guarded: Guarded, revision: str) -> None:
    output = python_2(guarded(registered="kept"), revision)

    assert output == {"revision": revision, "greeting": GREETING, "ended": "invalid_scope", "asked": [FIRST, WIDER]}


# API Gateway renames the header of the challenge, and these clients read it nowhere else.
@in_each_revision
def test_behind_the_gateway_the_typescript_client_2_shows_the_403(behind_the_gateway: Guarded, revision: str) -> None:
    output = typescript(behind_the_gateway(scopes=FIRST), revision)

    refused = {"error": ["SdkHttpError", "CLIENT_HTTP_NOT_IMPLEMENTED", 403], "afterwards": GREETING, "asked": [FIRST]}
    assert output == {"revision": revision, "greeting": GREETING} | refused


@in_each_revision
def test_behind_the_gateway_the_python_client_2_shows_the_error(behind_the_gateway: Guarded, revision: str) -> None:
    output = python_2(behind_the_gateway(scopes=FIRST), revision)

    assert f'scope="{WIDER}"' in output.pop("challenge")
    refused = {"error": -31051, "afterwards": GREETING, "asked": [FIRST]}
    assert output == {"revision": revision, "greeting": GREETING} | refused


# Whatever clients register for is then all that they need.
@in_each_revision
def test_behind_the_gateway_clients_have_the_scopes_that_the_metadata_names(
    behind_the_gateway: Guarded, revision: str
) -> None:
    endpoint = behind_the_gateway(scopes=WIDER)

    for client in (typescript, python_2):
        assert client(endpoint, revision) == STEPPED_UP | {"revision": revision, "asked": [WIDER]}
