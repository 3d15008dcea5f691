"""A server in this process, whose table AWS throttles: in part, or altogether for some seconds."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random
from typing import Any, Final

from botocore.exceptions import ClientError

from local.gateway import PATH, Gateway
from local.http_server import listen, running
from local.machines import Executors
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.polling import PollingWaiter
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.aws import LONGEST_REQUEST
from mcp_tasks.tasks.model import Returned
from mcp_tasks.wiring import Wiring
from tests.cloud import OneAtATime, cloud
from tests.contract.faults import FaultyClient
from tests.kit import ADA
from tests.protocol.sample_tools import TOOLS
from tests.table_ports import store_of, table_ports

DONE: Final = Returned(result={"content": [{"type": "text", "text": "done"}]})


@dataclass(kw_only=True)
class Throttling:
    """Throttles a `share` of all calls of the table, and all of them for `seconds` from the first read of a task."""

    share: float = 0
    seconds: float = 0
    refused: int = 0
    chance: Random = field(default_factory=lambda: Random(1))
    _until: float | None = None

    def __call__(self, operation: str, request: Mapping[str, Any]) -> None:
        if self.seconds and self._until is None and "task#" in str(request.get("Key")):
            self._until = time.monotonic() + self.seconds
        if time.monotonic() < (self._until or 0) or self.chance.random() < self.share:
            self.refused += 1
            error: Any = {"Error": {"Code": "ThrottlingException", "Message": ""}}
            raise ClientError(error, operation)


@dataclass(kw_only=True)
class ThrottledServer:
    """The server; `url` is where clients of one caller find it."""

    url: str
    throttling: Throttling
    wiring: Wiring
    gateway: Gateway

    def completed_task(self) -> str:
        """Return the id of a task of the caller that has completed."""
        tasks = self.wiring.tasks()
        (tool,) = (each for each in self.gateway.server.features.tools if each.name == "ponder")
        return tasks.start(ADA, tool, {"question": "why?"}, outcome=DONE).id

    def limit(self, seconds: float) -> None:
        """Give requests less time than 28 seconds."""
        self.gateway.server = replace(self.gateway.server, limit=timedelta(seconds=seconds))


@contextmanager
def throttled_server() -> Iterator[ThrottledServer]:
    """Serve for the length of a test."""
    throttling, clock = Throttling(), SystemClock()
    with cloud() as aws, listen() as listening:
        table = FaultyClient(OneAtATime(aws.dynamodb), throttling)
        store = store_of(replace(aws, dynamodb=table), clock)
        ports = table_ports(store, clock, executor=Executors(None, clock), waiter=PollingWaiter(clock=clock))
        wiring = Wiring(ports=ports)
        server = wiring.server(Features.of(TOOLS), name="throttled", version="1")
        gateway = Gateway(server=replace(server, limit=LONGEST_REQUEST), admit=lambda head: ADA)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}{PATH}"
        with running(gateway, listening):
            yield ThrottledServer(url=url, throttling=throttling, wiring=wiring, gateway=gateway)
