"""One request of a client within its session: all that a method answers from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import capabilities, extension
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, stream_name
from mcp_tasks.wire.sse import Event

NEWEST = "2025-11-25"
VERSIONS = (NEWEST, "2025-06-18", "2025-03-26")
"""What can be agreed on in a handshake.  Tasks and resumable streams begin with the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request."""

    server: SessionServer
    caller: Caller
    session: Session
    id: RequestId
    params: Mapping[str, JSON]

    @property
    def stream(self) -> str:
        """Name the stream that answers the request, should there be one."""
        return stream_name(self.session.id, self.id)

    @property
    def client_capabilities(self) -> frozenset[str]:
        """Return what the client can be asked."""
        return client_capabilities_of(self.session)

    @property
    def knows_tasks(self) -> bool:
        """Tell whether the agreed version has tasks at all, and streams that can be resumed."""
        return self.session.version == NEWEST

    @property
    def declares_tasks(self) -> bool:
        """Tell whether the client said that it knows tasks."""
        return self.knows_tasks and "tasks" in self.session.capabilities


def client_capabilities_of(session: Session) -> frozenset[str]:
    """Return what the client of a session can be asked: nothing where no stream can be resumed after the answer."""
    return capabilities.client_capabilities(session.capabilities) if session.version == NEWEST else frozenset()


def declares_extension(session: Session) -> bool:
    """Tell whether the handshake declared the tasks extension."""
    return session.version == NEWEST and extension.is_declared(session.capabilities)


Answer: TypeAlias = Mapping[str, JSON] | list[Event]
"""A result, or the events of a stream that answers in its own time."""

Method: TypeAlias = Callable[[Call], Answer]
