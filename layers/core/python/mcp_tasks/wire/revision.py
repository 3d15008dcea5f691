"""What the endpoint knows of a revision of the protocol: its name, which requests are of it, and how to serve them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import timedelta

from mcp_tasks.engine.admission import Admission
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.subscriptions import Subscriptions
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.tenants import PAGE_SIZE
from mcp_tasks.limits.waits import MAX_HOLD, REQUEST_STATE_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.security.encryption import Encryptor
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.jsonrpc import Batch, Message


@record
class Server:
    """The services, features and settings that every request is served with.

    `about` are the fields of the protocol's `Implementation` beside name and version.

    `origins` are patterns of the browser origins that may call; `max_hold` is how long a request may wait for
    changes, and `limit` how long it may take altogether (None: without a deadline).  `request_state_lifetime` is how
    long a `requestState` is valid: the time that a client has to answer the input requests of a call.

    `scopes` are those that requests need beside the ones of what they name, and `plan_scopes` those that the tenant's
    plan leaves (None: all); where it `hides_tools`, `tools/list` leaves out those that the caller lacks scopes for.
    `metadata_url` leads to the issuers (RFC 9728).  `own_tools` are those of operators and of the
    holders of links.
    """

    name: str
    version: str
    tasks: TaskService
    suspension: Suspension
    features: Features
    subscriptions: Subscriptions
    signer: Signer
    encryptor: Encryptor
    revisions: tuple["Revision", ...]
    admission: Admission
    about: Mapping[str, JSON] = field(default_factory=dict)
    instructions: str | None = None
    origins: frozenset[str] = frozenset()
    max_hold: timedelta = MAX_HOLD
    limit: timedelta | None = None
    request_state_lifetime: timedelta = REQUEST_STATE_LIFETIME
    page_size: int = PAGE_SIZE
    scopes: StageScopes = field(default_factory=StageScopes)
    plan_scopes: frozenset[str] | None = None
    hides_tools: bool = False
    metadata_url: str | None = None
    own_tools: Callable[[Caller], Sequence[Tool]] = lambda caller: ()

    @property
    def versions(self) -> list[str]:
        """Return the versions of the protocol that are served, of all revisions, newest first."""
        return [version for revision in self.revisions for version in revision.versions()]

    @property
    def name_and_version(self) -> dict[str, JSON]:
        """Return the required fields of `Implementation`."""
        return {"name": self.name, "version": self.version}


@record
class Exchange:
    """One HTTP request with its caller and its parsed body: a message, a batch, or None for GET and DELETE."""

    server: Server
    caller: Caller
    request: HttpRequest
    message: Message | Batch | None


@record
class Revision:
    """A revision that this server supports; in one that `has_streams`, a GET opens or resumes one.

    `versions` are those of the protocol that it serves, newest first.  It `has_method` those that it serves, whether or
    not this server offers them, and the notifications of its clients.  `defer` begins a stream on which a client waits,
    by itself, for the answer to a request that AWS had no capacity for; it returns None where it cannot.
    """

    name: str
    versions: Callable[[], Sequence[str]]
    claims: Callable[[HttpRequest, Message | Batch | None], bool]
    serve: Callable[[Exchange], HttpReply]
    has_method: Callable[[str], bool]
    has_streams: bool = False
    defer: Callable[[Exchange], HttpReply | None] = lambda exchange: None
