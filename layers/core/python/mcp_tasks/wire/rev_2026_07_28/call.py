"""One request as the methods of this revision receive it, and what they return."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TypeAlias

from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import apps, capabilities, extension
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2026_07_28 import request_state
from mcp_tasks.wire.rev_2026_07_28.request_state import RequestState
from mcp_tasks.wire.revision import Server


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request; `capabilities` are those that it declares, which hold for this request only."""

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
        """Whether the client declares the tasks extension; 2025-11-25's `capabilities.tasks` does not count."""
        return extension.is_declared(self.capabilities)

    @cached_property
    def shows_apps(self) -> bool:
        """Whether the client declares the extension for views."""
        return apps.is_declared(self.capabilities)

    @cached_property
    def client_capabilities(self) -> frozenset[str]:
        """The names of the capabilities that input requests may use."""
        return capabilities.client_capabilities(self.capabilities)

    @cached_property
    def state(self) -> RequestState | None:
        """The decrypted `requestState` of the previous round trip, or None on the first one; raises `RpcError`."""
        return request_state.read(self.server, self.caller, self.method, self.params)


@record
class Streamed:
    """A result and the notifications that precede it on the SSE stream; `retry` is when to ask again."""

    notifications: Sequence[Mapping[str, JSON]]
    result: Mapping[str, JSON]
    retry: timedelta | None = None


Answer: TypeAlias = Mapping[str, JSON] | Streamed
Method: TypeAlias = Callable[[Call], Answer]
