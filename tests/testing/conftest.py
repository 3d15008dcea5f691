"""The tools that the tests of the kit call."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks.testing.work import StateMachine


@pytest.fixture
def tools_module() -> str:
    return "tests.testing.sample_tools"


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    return {"after_a_while": lambda arguments: timedelta(hours=arguments["hours"])}
