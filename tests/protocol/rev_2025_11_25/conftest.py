"""The fixtures of revision 2025-11-25: a server with tools, and Ada, who has shaken hands with it."""

import pytest

from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ada(world: World) -> Client:
    client = Client(world)
    client.initialize()
    return client
