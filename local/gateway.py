"""What the gateway is on AWS: which paths there are, who may come in, and what everybody else is told."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from infra.resource_metadata import PAGES, PREFLIGHT, WELL_KNOWN, ResourceMetadata
from local.http_server import Answer, Head, Reply, refuse
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.wire import cors
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.server import handle

PATH = "/mcp"
HOSTS = ("127.0.0.1", "localhost")

Admit = Callable[[Head], Caller | None]
"""Says who sent a request, or None if they may not."""


def is_here(head: Head) -> bool:
    """Tell whether a request names this machine: that of a page whose own name was made to lead here does not."""
    name, _, port = head.headers.get("host", "").lower().partition(":")
    # On port 80 clients leave it out.
    return name in HOSTS and (port or "80").isdecimal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """A server, for everybody or for whom `admit` admits; `metadata` tells the others how to get a token."""

    server: Server
    admit: Admit = lambda head: ANONYMOUS
    metadata: ResourceMetadata | None = None

    def __call__(self, head: Head) -> Reply | Answer:
        """Refuse a request by its head, or lead it to the server."""
        if not is_here(head):
            return refuse(403, "Forbidden")
        if self.metadata and head.path in (WELL_KNOWN, f"{WELL_KNOWN}/mcp"):
            return _described(head, self.metadata)
        if head.path != PATH:
            return refuse(404, "Not Found")
        # A preflight asks whether a token may be sent, and so bears none.
        caller = ANONYMOUS if head.method == "OPTIONS" else self.admit(head)
        if caller is None:
            challenge = [("www-authenticate", self.metadata.challenge)] if self.metadata else []
            pages = cors.cors_headers(head.headers, self.server.origins)
            return refuse(401, "Unauthorized", *challenge, *pages.items())
        return partial(self._answer, head, caller)

    def _answer(self, head: Head, caller: Caller, body: bytes) -> Reply:
        request = HttpRequest(method=head.method, headers=head.headers, body=body)
        reply = handle(self.server, request, caller)
        return Reply(status=reply.status, headers=[*reply.headers.items()], body=reply.body.encode())


def _described(head: Head, metadata: ResourceMetadata) -> Reply:
    if head.method == "OPTIONS":
        return Reply(status=204, headers=[*PREFLIGHT.items()])
    if head.method != "GET":
        return refuse(405, "Use GET.", ("allow", "GET"))
    document = json.dumps(metadata.document).encode()
    return Reply(status=200, headers=[("content-type", "application/json"), *PAGES.items()], body=document)
