"""Revision 2026-07-28: no handshake and no sessions, since each request says all there is to know of its client.

Tasks are the extension `io.modelcontextprotocol/tasks`, and the server decides what becomes one.
"""

from mcp_tasks.ports.storage import Storage
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.rev_2026_07_28.claim import NAME, claims
from mcp_tasks.wire.revision import Exchange, Revision


def _serve(exchange: Exchange) -> HttpReply:
    # Saves an instance that only ever serves another revision the import of this one.
    from mcp_tasks.wire.rev_2026_07_28.serve import serve

    return serve(exchange)


def revision(storage: Storage) -> Revision:
    """Return this revision, which keeps no state of its own."""
    return Revision(name=NAME, claims=claims, serve=_serve)
