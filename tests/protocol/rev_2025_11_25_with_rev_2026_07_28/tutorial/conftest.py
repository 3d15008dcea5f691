"""The fixtures of the tutorial: a server with its tools, and a client that speaks either revision."""

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.tutorial.handbook import TOOLS, WIRES, Reader


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(TOOLS))


@pytest.fixture(params=WIRES)
def reader(request: pytest.FixtureRequest, harness: Harness) -> Reader:
    return Reader(request.param, harness)
