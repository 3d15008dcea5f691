"""The fixtures of the tutorial: a server with its tools, and a client that speaks either revision."""

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.tutorial.handbook import TOOLS, WIRES, Reader
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    return World(Features.of(TOOLS))


@pytest.fixture(params=WIRES)
def reader(request: pytest.FixtureRequest, world: World) -> Reader:
    return Reader(request.param, world)
