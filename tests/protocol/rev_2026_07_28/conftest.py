"""The fixtures of revision 2026-07-28: a server with all there is, and Ada, with one client that can do everything."""

import pytest

from tests.protocol.all_features import ALL
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    return World(ALL)


@pytest.fixture
def ada(world: World) -> Client:
    return Client(world)


@pytest.fixture
def plain(world: World) -> Client:
    """Ada's other client, which declares nothing."""
    return Client(world, capabilities={})
