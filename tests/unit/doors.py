"""A server on memory ports to hand to those who need one, offering what a test lists."""

from collections.abc import Iterable
from typing import Any

from mcp_tasks import Prompt, Resource, Tool
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.subscriptions import Subscriptions
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features.listing import Features
from mcp_tasks.security.encryption import Vault
from mcp_tasks.security.signing import Sealer
from mcp_tasks.wire.rev_2025_11_25.sessions import Sessions
from mcp_tasks.wire.revision import Server
from tests.kit import FixedClock, memory_ports


def server(
    tools: Iterable[Tool] = (), prompts: Iterable[Prompt] = (), resources: Iterable[Resource] = (), **settings: Any
) -> Server:
    """Return a server that offers these."""
    clock = FixedClock()
    ports = memory_ports(clock)
    tasks = TaskService(ports=ports)
    return Server(
        name="test-server",
        version="1.2.3",
        tasks=tasks,
        suspension=Suspension(tasks=tasks),
        features=Features.of(tools, prompts, resources),
        sessions=Sessions(store=ports.sessions, clock=clock),
        sealer=Sealer(keys=ports.keys, clock=clock),
        vault=Vault(keys=ports.keys, clock=clock),
        subscriptions=Subscriptions(store=ports.sessions, board=ports.board, tasks=tasks),
        **settings,
    )
