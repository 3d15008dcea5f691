"""The harness, for tests of revision 2026-07-28 alone."""

import pytest


@pytest.fixture
def revision() -> str:
    return "2026-07-28"
