"""The tools that the tests of the kit call."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks.testing.work import HandOver, StateMachine


@pytest.fixture
def tools_module() -> str:
    return "tests.testing.sample_tools"


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    return {
        "after_a_while": lambda arguments: timedelta(hours=arguments["hours"]),
        "squares": lambda arguments: HandOver(
            after=timedelta(hours=1), state_input=[number**2 for number in arguments["numbers"]]
        ),
    }
