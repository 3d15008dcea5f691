"""What the tools' tests share: the state machine that a tool waits in."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from mcp_tasks.testing.work import StateMachine


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    return {"remind_me": lambda arguments: timedelta(seconds=arguments["after_seconds"])}
