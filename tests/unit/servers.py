"""A factory of servers on memory ports, with the features that a test lists."""

from collections.abc import Iterable
from typing import Any

from mcp_tasks import Prompt, Resource, Tool
from mcp_tasks.features.listing import Features
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring
from tests.kit import memory_ports


def server(
    tools: Iterable[Tool] = (), prompts: Iterable[Prompt] = (), resources: Iterable[Resource] = (), **settings: Any
) -> Server:
    """Return a server with these features."""
    return Wiring(ports=memory_ports()).server(
        Features.of(tools, prompts, resources), name="test-server", version="1.2.3", **settings
    )
