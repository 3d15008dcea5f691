"""The fixtures for what holds in both revisions: one server, and one caller's clients."""

import pytest

from tests.kit import ADA
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client


@pytest.fixture
def harness() -> Harness:
    return Harness(ALL)


@pytest.fixture
def old(harness: Harness) -> Old:
    """A client of revision 2025-11-25."""
    ada = Old(harness)
    ada.initialize({"tasks": {}})
    return ada


@pytest.fixture
def new(harness: Harness) -> New:
    """A client of revision 2026-07-28."""
    return New(harness)


@pytest.fixture(params=REVISIONS)
def ada(request: pytest.FixtureRequest, harness: Harness) -> Either:
    """A client of each revision in turn."""
    return client(request.param, harness, ADA)
