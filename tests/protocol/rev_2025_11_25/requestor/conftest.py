"""The fixtures of a server that asks clients with tasks of their own: it, and Ada, who makes a task of everything."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.wire.rev_2025_11_25.adapters import in_memory
from tests.protocol.prompts_and_resources import weather
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import TOOLS, OddSessions, receiver
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    return World(Features.of(TOOLS, [], [weather]))


@pytest.fixture
def odd(world: World) -> OddSessions:
    """The sessions of the world, where things happen meanwhile."""
    storage: Any = world.ports.storage
    store: OddSessions = storage.stores.setdefault(in_memory, OddSessions(world.clock))
    return store


@pytest.fixture
def ada(world: World) -> Client:
    return receiver(world)
