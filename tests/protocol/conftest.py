"""The fixtures of the protocol tests: a server, and Ada, who has shaken hands with it."""

import pytest

from tests.protocol.client import Client
from tests.protocol.world import World


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requirement(*rows): the rows of requirements.py that the test is about")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ada(world: World) -> Client:
    client = Client(world)
    client.shake_hands()
    return client
