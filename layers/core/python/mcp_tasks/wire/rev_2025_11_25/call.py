"""One JSON-RPC request in a session, as the methods of this revision are given it."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import apps, capabilities, extension
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, stream_name
from mcp_tasks.wire.rev_2025_11_25.versions import NEWEST
from mcp_tasks.wire.sse import Event


@record
class Call:
    """A request of a client, with its session and the server."""

    server: SessionServer
    caller: Caller
    session: Session
    id: RequestId
    params: Mapping[str, JSON]

    @property
    def stream(self) -> str:
        """The name of the stream that answers the request, if one does."""
        return stream_name(self.session.id, self.id)

    @property
    def client_capabilities(self) -> frozenset[str]:
        """The kinds of input requests that the client can answer."""
        return client_capabilities_of(self.session)

    @property
    def knows_tasks(self) -> bool:
        """Whether the agreed version has tasks, and streams that can be resumed."""
        return self.session.version == NEWEST

    @property
    def shows_apps(self) -> bool:
        """Whether the client declared the extension for views, in the newest version."""
        return self.knows_tasks and apps.is_declared(self.session.capabilities)

    @property
    def declares_tasks(self) -> bool:
        """Whether the client declared the capability `tasks`, in a version that has it."""
        return self.knows_tasks and "tasks" in self.session.capabilities


def client_capabilities_of(session: Session) -> frozenset[str]:
    """Return the kinds of input requests that a session's client can answer: none in versions without resumption."""
    return capabilities.client_capabilities(session.capabilities) if session.version == NEWEST else frozenset()


def declares_extension(session: Session) -> bool:
    """Return whether the client declared the tasks extension in `initialize`."""
    return session.version == NEWEST and extension.is_declared(session.capabilities)


Answer: TypeAlias = Mapping[str, JSON] | list[Event]
"""A result, or the first events of a stream that carries the response, now or after it is resumed."""

Method: TypeAlias = Callable[[Call], Answer]
