"""The clients of 2026-07-28 answer what a tool asks on the way."""

import pytest

from tests.clients.expected import NAMELESS, WATER
from tests.clients.programs import Endpoint, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]


def test_fastmcp_answers_a_task_it_knows_of_or_not(endpoint: Endpoint) -> None:
    output = python("client_v2", "rev_2026_07_28.answers.fastmcp_v4", endpoint)

    assert output == {"called": NAMELESS, "in_hand": NAMELESS, "without_capabilities": WATER}
