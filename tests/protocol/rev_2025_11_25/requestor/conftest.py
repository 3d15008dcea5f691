"""The fixtures for task-augmented input requests: a server, and a client `ada` that makes a task of every request."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.wire.rev_2025_11_25.adapters import in_memory
from tests.protocol.harness import Harness
from tests.protocol.prompts_and_resources import weather
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import TOOLS, InterruptibleSessions, receiver


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of(TOOLS, [], [weather]))


@pytest.fixture
def sessions(harness: Harness) -> InterruptibleSessions:
    """The harness's sessions, which call a test's function before or after the next write."""
    storage: Any = harness.ports.storage
    store: InterruptibleSessions = storage.stores.setdefault(in_memory, InterruptibleSessions(harness.clock))
    return store


@pytest.fixture
def ada(harness: Harness) -> Client:
    return receiver(harness)
