"""The stage, for the tests of the stage itself and of the server on it."""

import pytest

from tests.stage.fixtures import tasks as tasks


@pytest.fixture
def tools_module() -> str:
    return "tests.stage.odd_tools"
