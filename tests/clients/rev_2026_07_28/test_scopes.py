"""FastMCP's client logs in at an authorization server that knows nothing of this server, and asks it for more."""

from typing import Any

import pytest

from tests.clients.authorization import Guarded, asked_of_the_resource
from tests.clients.expected import FIRST, GREETING, STEPPED_UP, WIDER
from tests.clients.programs import Endpoint, python

pytestmark = pytest.mark.clients

REVISION = {"revision": "2026-07-28"}


def fastmcp(endpoint: Endpoint) -> dict[str, Any]:
    return asked_of_the_resource(python("client_v2", "rev_2026_07_28.scopes.fastmcp_v4", endpoint))


def test_fastmcp_asks_for_the_scope_that_a_tool_needs(guarded: Guarded) -> None:
    assert fastmcp(guarded()) == STEPPED_UP | REVISION


def test_fastmcp_ends_where_it_gets_no_more_than_it_registered_for(guarded: Guarded) -> None:
    output = fastmcp(guarded(registered="kept"))

    ended = "Authorization failed: requested scope is not allowed"
    assert output == REVISION | {"greeting": GREETING, "ended": ended, "asked": [FIRST, WIDER]}


def test_behind_the_gateway_fastmcp_shows_the_error(behind_the_gateway: Guarded) -> None:
    output = fastmcp(behind_the_gateway(scopes=FIRST))

    assert f'scope="{WIDER}"' in output.pop("challenge")
    assert output == REVISION | {"greeting": GREETING, "error": -31051, "afterwards": GREETING, "asked": [FIRST]}


def test_behind_the_gateway_fastmcp_has_the_scopes_that_the_metadata_names(behind_the_gateway: Guarded) -> None:
    assert fastmcp(behind_the_gateway(scopes=WIDER)) == STEPPED_UP | REVISION | {"asked": [WIDER]}
