"""The Python client 1.x asks for scopes as well; and what a 403 does to sessions that cannot ask for any.

"If the server cannot accept the input, it MUST return an HTTP error status code", for notifications and responses too.
"""

import pytest

from tests.clients.authorization import Guarded
from tests.clients.expected import GREETING, STEPPED_UP
from tests.clients.programs import Endpoint, python

pytestmark = pytest.mark.clients


def test_the_python_client_1_asks_for_the_scope_that_a_tool_needs(guarded: Guarded) -> None:
    assert python("client", "rev_2025_11_25.scopes.python_v1", guarded()) == STEPPED_UP


@pytest.mark.parametrize("what", ["request", "notification", "response"])
def test_the_session_of_the_python_client_1_ends(for_callers_alone: Endpoint, what: str) -> None:
    output = python("client", "rev_2025_11_25.scopes.refused_v1", for_callers_alone, what)

    assert output == {"ended": True}


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("request", {"error": "This request needs a token with the scopes tools:call reports:write."}),
        ("notification", {}),
        # The answer is dropped, and nobody is told.
        ("response", {"error": "Request 'tools/call' timed out"}),
    ],
)
def test_the_session_of_the_python_client_2_goes_on(
    for_callers_alone: Endpoint, what: str, error: dict[str, str]
) -> None:
    output = python("client_v2", "rev_2025_11_25.scopes.refused_v2", for_callers_alone, what)

    assert output == error | {"afterwards": GREETING}
