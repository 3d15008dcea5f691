"""One request of a client, with what it says of that client: all that a method answers from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import capabilities, extension
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2026_07_28 import request_state
from mcp_tasks.wire.rev_2026_07_28.request_state import RequestState
from mcp_tasks.wire.revision import Server


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request; `capabilities` are its client's, for as long as the request lasts and no longer."""

    server: Server
    caller: Caller
    request: HttpRequest
    id: RequestId
    method: str
    params: Mapping[str, JSON]
    capabilities: Mapping[str, JSON]
    log_level: str | None = None

    @cached_property
    def declares_tasks(self) -> bool:
        """Tell whether the client knows tasks; that it knew those of an earlier revision would not do."""
        return extension.is_declared(self.capabilities)

    @cached_property
    def client_capabilities(self) -> frozenset[str]:
        """Return what the client can be asked."""
        return capabilities.client_capabilities(self.capabilities)

    @cached_property
    def state(self) -> RequestState | None:
        """Return what an earlier round trip of the call left with the client, if this one goes on with it."""
        return request_state.read(self.server, self.caller, self.method, self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """A result, and what is told before it."""

    notifications: Sequence[Mapping[str, JSON]]
    result: Mapping[str, JSON]


Answer: TypeAlias = Mapping[str, JSON] | Streamed
Method: TypeAlias = Callable[[Call], Answer]
