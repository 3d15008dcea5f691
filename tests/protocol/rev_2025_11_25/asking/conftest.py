"""The fixtures of what is asked: a server whose tools ask, and Ada, who can be asked everything."""

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol import call_input_tools, prompts_and_resources, sample_tools, task_input_tools
from tests.protocol.rev_2025_11_25.asking.clients import able
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.world import World


@pytest.fixture
def world() -> World:
    world = World(
        Features.of(
            [*task_input_tools.TOOLS, *call_input_tools.TOOLS, *sample_tools.TOOLS], [], prompts_and_resources.RESOURCES
        )
    )
    world.change(page_size=100)
    return world


@pytest.fixture
def ada(world: World) -> Client:
    return able(world)
