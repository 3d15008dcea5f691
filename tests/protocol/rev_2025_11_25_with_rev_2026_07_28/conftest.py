"""The fixtures of what holds in both revisions: one server, and Ada, who comes to it with one client or with two."""

import pytest

from tests.kit import ADA
from tests.protocol.all_features import ALL
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    return World(ALL)


@pytest.fixture
def old(world: World) -> Old:
    """Ada's client of revision 2025-11-25."""
    ada = Old(world)
    ada.initialize({"tasks": {}})
    return ada


@pytest.fixture
def new(world: World) -> New:
    """Ada's client of revision 2026-07-28."""
    return New(world)


@pytest.fixture(params=REVISIONS)
def ada(request: pytest.FixtureRequest, world: World) -> Either:
    """Ada, with a client of either revision."""
    return client(request.param, world, ADA)
