"""What the holder of a link may request: its one approval, the decision of it, and the exchange of the link.

All else is refused here, unread.

The caller of such a request has the owner key of the subject who had the link made, so that nothing else of that
subject's may be reached: what is not named here is refused, whatever a revision adds.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.features.tools import APPROVAL_DECIDE, APPROVAL_LIST, LINK_TOOLS
from mcp_tasks.security.scopes import INSUFFICIENT_SCOPE
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import Batch, Message, Request, RpcError
from mcp_tasks.wire.revision import Exchange, Revision

TOOLS: Final = frozenset({APPROVAL_LIST, APPROVAL_DECIDE, *LINK_TOOLS})
PARAMS: Final = frozenset({"name", "arguments", "_meta"})
REFUSED: Final = f"A link is good for one approval alone: call {APPROVAL_LIST} or {APPROVAL_DECIDE} with it."


def within_link(exchange: Exchange, revision: Revision) -> Exchange | HttpReply:
    """Return the exchange with the scopes of those who answer, or the 403 for what no link is good for.

    A revision with streams has sessions, which would be those of the subject: it serves no links.
    """
    message = exchange.message
    if revision.has_streams or not isinstance(message, Request) or not _is_of_approval(message.method, message.params):
        note_refusal("link")
        return json_reply(jsonrpc.error(_id(message), RpcError(INSUFFICIENT_SCOPE, REFUSED)), status=403)
    server, scopes = exchange.server, frozenset(exchange.server.scopes.answer)
    left = scopes if server.plan_scopes is None else scopes & server.plan_scopes
    return replace(exchange, caller=replace(exchange.caller, scopes=left))


def _is_of_approval(method: str, params: Mapping[str, JSON]) -> bool:
    # `task`, `requestState` and what else there may be would have the call do more.
    return method == "tools/call" and params.get("name") in TOOLS and params.keys() <= PARAMS


def _id(message: Message | Batch | None) -> jsonrpc.RequestId | None:
    return message.id if isinstance(message, Request) else None
