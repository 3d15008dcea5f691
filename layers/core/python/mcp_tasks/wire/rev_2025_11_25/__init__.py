"""Revision 2025-11-25, and the handshake versions before it: sessions, and a `tasks/result` that blocks.

What this revision has and this server does not yet: resources and prompts (a module of methods each, like
`tool_methods`, and rows in `methods`) and questions to the client (events on a stream, in `stream`; answers come as
`Response`s, in `serve`).
"""

from mcp_tasks.wire.rev_2025_11_25.call import NEWEST
from mcp_tasks.wire.rev_2025_11_25.serve import serve
from mcp_tasks.wire.revision import Revision

REVISION = Revision(name=NEWEST, claims=lambda request, message: True, serve=serve)
