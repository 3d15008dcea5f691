"""The fixtures of revision 2026-07-28: a server with all features, and a client `ada` with all capabilities."""

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
    """A client of the same caller, without capabilities."""
    return Client(harness, capabilities={})
