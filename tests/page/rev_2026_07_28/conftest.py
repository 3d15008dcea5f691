"""The server of `make serve` in this process, with the console and another person's tasks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from local.gateway import Gateway
from local.http_server import listen, running
from local.serve import memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool
from tests.page.rev_2026_07_28.people import Ask, admit, ask

Served = Callable[..., str]
"""Serves tools, has another person ask for some of them, and returns the address of the console."""


@pytest.fixture
def served() -> Iterator[Served]:
    with ExitStack() as started:

        def serve(tools: Sequence[Tool], asks: Sequence[Ask] = (), **stage: Any) -> str:
            server = memory_server(Features.of(tools), {"server_title": "Acme", **stage})
            listening = started.enter_context(listen())
            started.enter_context(running(Gateway(server=server, admit=admit), listening))
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
            ask(f"{address}mcp", *asks)
            return address

        yield serve
