"""The store of sessions in memory and on moto, so that one test suite holds for both."""

import pytest

from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import DynamoSessions
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore
from tests.kit import FixedClock


@pytest.fixture(params=["memory", "dynamodb"])
def sessions(request: pytest.FixtureRequest, clock: FixedClock) -> SessionStore:
    if request.param == "memory":
        return MemorySessions(clock)
    return DynamoSessions(table=request.getfixturevalue("table"))
