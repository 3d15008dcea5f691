"""A harness with tools that ask others."""

import pytest

from tests.approvals import sample_tools


@pytest.fixture
def tools_module() -> str:
    return "tests.approvals.sample_tools"


@pytest.fixture(autouse=True)
def no_runs() -> None:
    sample_tools.RUNS.clear()
