"""The harness, for tests of revision 2025-11-25 alone."""

import pytest


@pytest.fixture
def revision() -> str:
    return "2025-11-25"
