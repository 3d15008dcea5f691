"""The fixtures for input requests: a server whose tools request input, and a client `ada` with all capabilities."""

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol import call_input_tools, prompts_and_resources, sample_tools, task_input_tools
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import able


@pytest.fixture
def harness() -> Harness:
    harness = Harness(
        Features.of(
            [*task_input_tools.TOOLS, *call_input_tools.TOOLS, *sample_tools.TOOLS], [], prompts_and_resources.RESOURCES
        )
    )
    harness.change(page_size=100)
    return harness


@pytest.fixture
def ada(harness: Harness) -> Client:
    return able(harness)
