"""The fixtures of revision 2025-11-25: a server with tools, and a client `ada` with a session."""

import pytest

from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client


@pytest.fixture
def harness() -> Harness:
    return Harness()


@pytest.fixture
def ada(harness: Harness) -> Client:
    client = Client(harness)
    client.initialize()
    return client
