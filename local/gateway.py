"""What API Gateway does on AWS: routes paths, authenticates callers, and answers errors by itself."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from infra.resource_metadata import PREFLIGHT, PUBLIC_CORS, WELL_KNOWN, ResourceMetadata
from local.console import console_reply
from local.http_server import Answer, Head, Reply, refuse
from mcp_tasks.security.tenancy import ANONYMOUS, BEARER, LINK_PREFIX, Caller
from mcp_tasks.wire import cors
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.server import handle

PATH = "/mcp"
PAGE = "/"

Admit = Callable[[Head], Caller | None]
"""Returns the caller of a request, None where it is not authenticated."""


@dataclass(slots=True, kw_only=True)
class Gateway:
    """A server for the callers that `admit` returns; `metadata` names the issuer to clients without a token.

    The server may be replaced while requests are answered.
    """

    server: Server
    admit: Admit = lambda head: ANONYMOUS
    metadata: ResourceMetadata | None = None

    def __call__(self, head: Head) -> Reply | Answer:
        """Reject a request by its head, or return the function that answers it."""
        if self.metadata and head.path.removesuffix("/") in (WELL_KNOWN, f"{WELL_KNOWN}/mcp"):
            return _described(head, self.metadata)
        if head.path == PAGE:
            return console_reply(head)
        # Some clients write a slash at the end.
        if head.path.removesuffix("/") != PATH:
            return refuse(404, "Not Found")
        # A CORS preflight carries no token.
        caller = ANONYMOUS if head.method == "OPTIONS" else self._caller(head)
        if caller is None:
            challenge = [("www-authenticate", _challenge(head, self.metadata))] if self.metadata else []
            pages = cors.cors_headers(head.headers, self.server.origins)
            return refuse(401, "Unauthorized", *challenge, *pages.items())
        return partial(self._answer, head, caller)

    def _caller(self, head: Head) -> Caller | None:
        if LINK_PREFIX not in head.headers.get("authorization", ""):
            return self.admit(head)
        # Imported here, because PyJWT and cryptography slow down the start of a server that needs no tokens.
        from local.links import by_link

        return by_link(head, self.server.signer)

    def _answer(self, head: Head, caller: Caller, body: bytes) -> Reply:
        request = HttpRequest(method=head.method, headers=head.headers, body=body)
        reply = handle(self.server, request, caller)
        return Reply(status=reply.status, headers=[*reply.headers.items()], body=reply.body.encode())


def _challenge(head: Head, metadata: ResourceMetadata) -> str:
    has_token = BEARER.fullmatch(head.headers.get("authorization", "").strip(" \t"))
    return metadata.invalid_token if has_token else metadata.challenge


def _described(head: Head, metadata: ResourceMetadata) -> Reply:
    if head.method == "OPTIONS":
        return Reply(status=204, headers=[*PREFLIGHT.items()])
    if head.method != "GET":
        return refuse(405, "Use GET.", ("allow", "GET"))
    document = json.dumps(metadata.document).encode()
    return Reply(status=200, headers=[("content-type", "application/json"), *PUBLIC_CORS.items()], body=document)
