"""The fixtures of a server that asks clients with tasks of their own: it, and Ada, who makes a task of everything."""

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
    """The sessions of the world, where things happen meanwhile."""
    storage: Any = harness.ports.storage
    store: InterruptibleSessions = storage.stores.setdefault(in_memory, InterruptibleSessions(harness.clock))
    return store


@pytest.fixture
def ada(harness: Harness) -> Client:
    return receiver(harness)
