"""The server as requestor: a client may run an input request as a task of its own, which is polled until it is final.

    attempt  request                              response          next attempt
    ask      the task-augmented input request     a live task       poll, after the task's `pollInterval`
                                                  a final task      fetch
                                                  anything else     none: it is the input response
    poll     tasks/get                            a live task       poll, after the task's `pollInterval`
                                                  a final task      fetch
                                                  -32601            the input request, without `task`
                                                  another error     none: it is the input response
    fetch    tasks/result                         -32601            the input request, without `task`
                                                  anything else     none: it is the input response
    cancel   tasks/cancel                         anything          none

If an input request closes in another way while its task is polled, a cancel follows on the next stream.  Only the
input request itself has our task as its related task: "Requestors SHOULD NOT include" it in the others.
    -- 2025-11-25, Tasks, Associating Task-Related Messages
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Task
from mcp_tasks.wire.capabilities import includes
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RequestId
from mcp_tasks.wire.rev_2025_11_25 import render
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery, OutgoingRequest
from mcp_tasks.wire.rev_2025_11_25.params import ClientTask
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt, Session

TASK_CAPABILITY: Mapping[str, Mapping[str, JSON]] = {
    "elicitation/create": {"tasks": {"requests": {"elicitation": {"create": {}}}}},
    "sampling/createMessage": {"tasks": {"requests": {"sampling": {"createMessage": {}}}}},
}
CAN_CANCEL: Mapping[str, JSON] = {"tasks": {"cancel": {}}}

MIN_POLL_INTERVAL = timedelta(seconds=1)
MAX_POLL_INTERVAL = timedelta(hours=1)
"""The bounds of a client's `pollInterval`; the minimum holds where a client gives none."""

POLL_SLOWDOWN = timedelta(milliseconds=50)
"""By how much each attempt raises the minimum interval: some clients fail after some hundreds of reconnects."""


class RequestKind(StrEnum):
    """The request of an attempt, where it is not the plain input request; all but `ASK` are the request's method."""

    ASK = "ask"
    POLL = "tasks/get"
    FETCH = "tasks/result"
    CANCEL = "tasks/cancel"


def first_kind(session: Session, input_request: InputRequest) -> str | None:
    """Return the kind of a delivery's first attempt: `ASK` if the client can run the input request as a task."""
    declared = TASK_CAPABILITY.get(input_request.method)
    return RequestKind.ASK if declared is not None and includes(session.capabilities, declared) else None


def request(attempt: Attempt, plain: Mapping[str, JSON], task: Task, input_request: InputRequest) -> Mapping[str, JSON]:
    """Return the JSON-RPC request of an attempt; `plain` is the input request that is not task-augmented."""
    if attempt.client_task is not None:
        return render.about_client_task(plain["id"], str(attempt.kind), attempt.client_task)
    # Counted from when the tool made the input request: a request that is sent again must be the same one.
    ttl = task.deadline(input_request) - (task.requested_at or task.created_at)
    return plain if attempt.kind is None else render.task_augmented(plain, ttl)


def receive(
    delivery: Delivery, kind: str | None, request_id: RequestId | None, response: InputResponse
) -> InputResponse | None:
    """Return a response if it is the input response, otherwise schedule the request that follows from it.

    Raises `RpcError` where a client's task is malformed.
    """
    if kind is None or (kind == RequestKind.ASK and (response.result or {}).get("task") is None):
        return response
    attempt = delivery.attempt()
    if attempt is None or attempt.request_id != request_id or kind == RequestKind.CANCEL:
        return None
    if response.error is not None and response.error["code"] == METHOD_NOT_FOUND:
        delivery.schedule_next(attempt, kind=None, client_task=None)
        return None
    if kind == RequestKind.FETCH:
        return response
    if response.result is None:
        # There is no task left to cancel; should this process die before it keeps the error, a fetch gets it again.
        delivery.schedule_next(attempt, kind=RequestKind.FETCH)
        return response
    _schedule_poll(delivery, attempt, ClientTask.of(response.result))
    return None


def after_rejection(attempt: Attempt) -> Attempt:
    """Return the attempt to continue from after a rejected response: a client's task would only return it again."""
    return replace(attempt, kind=RequestKind.ASK, client_task=None) if attempt.kind == RequestKind.FETCH else attempt


def cancellations(
    server: SessionServer, caller: Caller, session: Session, task: Task, stream: str
) -> list[OutgoingRequest]:
    """Return the `tasks/cancel` requests that a stream carries, sent or not, for tasks of closed input requests."""
    if server.sessions.is_silent(session) or not _may_cancel(session):
        return []
    waiting = {input_request.key for input_request in task.input_requests}
    closed = [Delivery.to(server, caller, session, task, key) for key in task.requested if key not in waiting]
    return [request for delivery in closed for request in _cancellation(delivery, stream)]


def _schedule_poll(delivery: Delivery, attempt: Attempt, shown: ClientTask) -> None:
    client_task = shown.id if attempt.client_task is None else attempt.client_task
    if shown.is_final:
        delivery.schedule_next(attempt, kind=RequestKind.FETCH, client_task=client_task)
        return
    requested = timedelta(milliseconds=min(shown.poll_interval or 0, MAX_POLL_INTERVAL / timedelta(milliseconds=1)))
    after = delivery.server.tasks.now() + max(requested, MIN_POLL_INTERVAL, POLL_SLOWDOWN * attempt.number)
    delivery.schedule_next(attempt, kind=RequestKind.POLL, client_task=client_task, not_before=after)


def _cancellation(delivery: Delivery, stream: str) -> Iterator[OutgoingRequest]:
    try:
        attempt = delivery.attempt()
    except UnreadableItem:
        # The client's task ends by its own ttl.
        return
    if attempt is not None and attempt.kind == RequestKind.POLL:
        attempt = delivery.start(attempt, stream, kind=RequestKind.CANCEL)
    match attempt:
        case Attempt(kind=RequestKind.CANCEL, request_id=str(request_id), client_task=str(named)):
            if attempt.stream == stream:
                yield OutgoingRequest.of(render.about_client_task(request_id, RequestKind.CANCEL, named))


def _may_cancel(session: Session) -> bool:
    can_create = any(includes(session.capabilities, declared) for declared in TASK_CAPABILITY.values())
    return can_create and includes(session.capabilities, CAN_CANCEL)
