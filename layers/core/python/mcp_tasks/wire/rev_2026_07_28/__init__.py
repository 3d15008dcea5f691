"""Revision 2026-07-28: without handshake and sessions, since each request carries the capabilities of its client.

Tasks are the extension `io.modelcontextprotocol/tasks`, and the server decides which calls become tasks.
"""

from typing import Final

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.rev_2026_07_28.claim import NAME, claims
from mcp_tasks.wire.revision import Exchange, Revision

FUNCTIONS: Final = ()
"""The functions that are deployed for this revision: none, as all of its requests are POSTs."""


def _serve(exchange: Exchange) -> HttpReply:
    # An instance that serves other revisions only does not pay for importing this one.
    from mcp_tasks.wire.rev_2026_07_28.serve import serve

    return serve(exchange)


def _has_method(name: str) -> bool:
    # As above.
    from mcp_tasks.wire.rev_2026_07_28.methods import NAMES

    return name in NAMES


def revision(storage: Storage) -> Revision:
    """Return this revision for the endpoint; it stores nothing, so `storage` is unused."""
    return Revision(name=NAME, versions=lambda: (NAME,), claims=claims, serve=_serve, has_method=_has_method)
