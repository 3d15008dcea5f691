"""The fixtures of revision 2026-07-28: a server with all there is, and Ada, with one client that can do everything."""

import pytest

from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.rev_2026_07_28.client import Client


@pytest.fixture
def harness() -> Harness:
    return Harness(ALL)


@pytest.fixture
def ada(harness: Harness) -> Client:
    return Client(harness)


@pytest.fixture
def plain(harness: Harness) -> Client:
    """Ada's other client, which declares nothing."""
    return Client(harness, capabilities={})
