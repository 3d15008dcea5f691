"""The stream that a client holds open to hear what it did not ask for: changes of the resources it subscribed to.

Like the streams that answer, it is a row of connections: each is held until there is news, or for as long as the
gateway allows, and names the place to come back to.  The session remembers what was told, not the place.
"""

import secrets
from datetime import timedelta

from mcp_tasks.sealing import BadSeal
from mcp_tasks.sessions import Session
from mcp_tasks.tenancy import Caller
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.sse import Event

PURPOSE = "2025-11-25 listening"
LIFETIME = timedelta(hours=24)
RETRY = timedelta(milliseconds=200)


def is_offered(server: Server, session: Session) -> bool:
    """Tell whether there is anything to listen to: who has nothing to hear should not hold a function."""
    return session.version == NEWEST and server.features.resources.watched


def is_place(server: Server, caller: Caller, session: Session, last_event_id: str) -> bool:
    """Tell whether an event's id is one of this stream's."""
    try:
        place = server.sealer.open(last_event_id, purpose=PURPOSE, scope=caller.scope)
        return bool(place["session"] == session.id)
    except BadSeal:
        return False


def listen(server: Server, caller: Caller, session: Session) -> list[Event]:
    """Wait for news and tell them."""
    changed = server.subscriptions.news_for_session(caller, session.id, patience=server.hold)
    # The salt keeps event ids unique over all connections.
    value = {"session": session.id, "salt": secrets.token_hex(4)}
    place = server.sealer.seal(value, purpose=PURPOSE, scope=caller.scope, lifetime=LIFETIME)
    told = [jsonrpc.notification("notifications/resources/updated", {"uri": uri}) for uri in changed]
    return [Event(id=place, retry=RETRY), *(Event(message=message) for message in told)]
