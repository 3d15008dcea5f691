"""The one record that is logged of a request: what it asked for, what became of it, and how long that took.

    field      in which requests      what
    method     all                    the method of the message, or of HTTP where there is none
    status     all                    that of HTTP
    ms         all                    from when the function got the request to its reply
    tenant     all but preflights     the caller's
    revision   that one claims        its name
    plan       that one claims        the name of the tenant's plan
    tool       `tools/call`           a tool that is listed
    outcome    `tools/call`           what became of the call
    task       about a task           the task's id
    trace      that belong to one     the id of its trace, or of its task's
    woken_by   that waited            what ended the wait
    woken_ms   that waited for an end how long after that was written it woke
    waited_ms  that waited            how much of `ms` it waited for a change
    code_ms    that ran your code     how much of `ms` that took, in another process
    error      answered with one      the code of the JSON-RPC error
    reason     that are refused       which limit, "tenant_suspended", "scopes", "insufficient_scope", "link",
                                      "used_link", "unknown_task", "unknown_session", "operators_only"

The fields beside the first four are noted where they are known (`engine/current_call.py`).

An audit record each says what happened in it, with these fields but the status and those of the outcome:

    task.read          a task, and whether its outcome was read
    tasks.listed       nothing more: a page of a caller's tasks
    approvals.listed   nothing more: a page of an inbox, or of what was decided
    approval.read      the hash of what is shown
    session.opened     the hash of a session's id
    request.refused    the reason
    tenants.listed     after which name an operator was shown the tenants
    approval.linked    the hash of what is shown to whoever has the link, and until when
    approval.opened    nothing more: a tab exchanged its link
    approval.decided   how, by which channel, the hash of what was shown, and whether it is all decided now
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from mcp_tasks.engine.current_call import Happened, noting
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.server import handle

logger = logging.getLogger(__name__)

AUDITED = ("method", "revision", "tool", "trace")
"""What audit records say of the request in which something happened."""


def handle_and_log(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    """Serve one HTTP request as `handle` does, and log that."""
    began = server.tasks.now()
    with noting() as noted:
        reply = handle(server, request, caller)
    whose = {} if caller == ANONYMOUS else {"tenant": caller.tenant}
    took = (server.tasks.now() - began) // timedelta(milliseconds=1)
    logger.info("answered", extra={"method": request.method, **whose, **noted, "status": reply.status, "ms": took})
    _audit(caller, {"method": request.method, **noted}, noted.happened, began)
    return reply


def _audit(caller: Caller, noted: Mapping[str, str | int], happened: Happened, at: datetime) -> None:
    """Write what happened in a request."""
    if not happened:
        return
    # Saves 1 ms of every cold start.
    from mcp_tasks import audit

    known = {name: noted[name] for name in AUDITED if name in noted}
    for (event, _), fields in happened.items():
        audit.write(event, caller, {**known, **fields, "at": at.isoformat()})
