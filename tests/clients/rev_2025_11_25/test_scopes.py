"""What becomes of a session of 2025-11-25 in which something is refused for a missing scope, with HTTP's status 403.

"If the server cannot accept the input, it MUST return an HTTP error status code", for notifications and responses too.
"""

import pytest

from tests.clients.expected import GREETING
from tests.clients.programs import Endpoint, python

pytestmark = pytest.mark.clients


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
