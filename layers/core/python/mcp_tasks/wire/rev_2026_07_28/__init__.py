"""Revision 2026-07-28: no handshake and no sessions, since each request says all there is to know of its client.

Tasks are the extension `io.modelcontextprotocol/tasks`, and the server decides what becomes one.
"""

from mcp_tasks.wire.rev_2026_07_28.envelope import NAME, claims
from mcp_tasks.wire.rev_2026_07_28.serve import serve
from mcp_tasks.wire.revision import Revision

REVISION = Revision(name=NAME, claims=claims, serve=serve)
