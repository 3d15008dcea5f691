"""Revision 2025-11-25, and the handshake versions before it: sessions, and a `tasks/result` that blocks."""

from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.revision import Exchange, Revision


def _serve(exchange: Exchange) -> HttpReply:
    # Saves an instance that only ever serves another revision the import of this one.
    from mcp_tasks.wire.rev_2025_11_25.serve import serve

    return serve(exchange)


REVISION = Revision(name="2025-11-25", claims=lambda request, message: True, serve=_serve)
