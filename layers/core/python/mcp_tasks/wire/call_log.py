"""The one record that is logged of a request: what it asked for, what became of it, and how long that took.

    field      in which requests      what
    method     all                    the method of the message, or of HTTP where there is none
    status     all                    that of HTTP
    ms         all                    from when the function got the request to its reply
    tenant     all but preflights     the caller's
    revision   that one claims        its name
    tool       `tools/call`           a tool that is listed
    outcome    `tools/call`           what became of the call
    task       that start, or wait    the task's id
    woken_by   that waited            what ended the wait
    error      answered with one      the code of the JSON-RPC error
    reason     refused by a limit     which limit

The fields beside the first four are noted where they are known (`engine/current_call.py`).
"""

import logging
from datetime import timedelta

from mcp_tasks.engine.current_call import noting
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.server import handle

logger = logging.getLogger(__name__)


def handle_and_log(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    """Serve one HTTP request as `handle` does, and log that."""
    began = server.tasks.now()
    with noting() as noted:
        reply = handle(server, request, caller)
    whose = {} if caller == ANONYMOUS else {"tenant": caller.tenant}
    took = (server.tasks.now() - began) // timedelta(milliseconds=1)
    logger.info("answered", extra={"method": request.method, **whose, **noted, "status": reply.status, "ms": took})
    return reply
