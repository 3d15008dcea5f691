"""URL elicitations: which sessions are notified of the completion of which, and the notifications.

"The server MUST only send the notification to the client that initiated the elicitation request."
    -- 2025-11-25, Elicitation, Completion Notifications
"""

from mcp_tasks.authoring.errors import URL_REQUIRED, MissingCapability
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputRequest
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.jsonrpc import RpcError
from mcp_tasks.wire.rev_2025_11_25.call import client_capabilities_of
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session


def expect_completion(server: SessionServer, caller: Caller, session: Session, input_request: InputRequest) -> None:
    """Subscribe the session to the completion of a URL elicitation that it is sent, if the tool gave it an id."""
    elicitation_id = input_request.params.get("elicitationId")
    if elicitation_id is not None:
        server.subscriptions.subscribe_to_completion(caller, session.id, elicitation_id)


def expect_completions_of(server: SessionServer, caller: Caller, session: Session, error: RpcError) -> None:
    """Subscribe a session to the completion of the URL elicitations that an error -32042 requires, if it is one.

    Raises `MissingCapability` if the client cannot be sent URL elicitations.


    "Servers MUST NOT send elicitation requests with modes that are not supported by the client."
    """
    if error.code != URL_REQUIRED:
        return
    if "elicitation.url" not in client_capabilities_of(session):
        raise MissingCapability("elicitation.url")
    for each in error.data["elicitations"]:
        server.subscriptions.subscribe_to_completion(caller, session.id, each["elicitationId"])


def notifications(server: SessionServer, caller: Caller, session: Session) -> list[dict[str, JSON]]:
    """Return the notifications of completed elicitations that no other stream of the session sends."""
    if server.sessions.is_silent(session) or "elicitation.url" not in client_capabilities_of(session):
        return []
    done = server.subscriptions.completed_elicitations(caller, session.id)
    return [jsonrpc.notification("notifications/elicitation/complete", {"elicitationId": each}) for each in done]
