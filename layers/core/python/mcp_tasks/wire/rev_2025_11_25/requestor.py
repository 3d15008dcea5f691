"""The server as requestor: a client may answer an input request with a task of its own, which is polled until it ends.

    attempt     request                          answered by       next attempt
    ask      the input request, wishing a task     a live task       poll, after the task's interval
                                              a final task      fetch
                                              anything else     none: it is the answer
    poll     tasks/get                        a live task       poll, after the task's interval
                                              a final task      fetch
                                              -32601            the input request, wishing nothing
                                              another error     none: it is the answer
    fetch    tasks/result                     -32601            the input request, wishing nothing
                                              anything else     none: it is the answer
    cancel   tasks/cancel                     anything          none

A poll whose input request was closed some other way is followed by cancel, if a stream comes along.  None of these
requests names our task as the related one but the input request itself: "Requestors SHOULD NOT include" it in the
others.
    -- 2025-11-25, Tasks, Associating Task-Related Messages
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum

from mcp_tasks.security.tenancy import Caller
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
"""Between two looks at a client's task, whatever the client wishes; the shortest where it wishes nothing."""

POLL_SLOWDOWN = timedelta(milliseconds=50)
"""The least time between two polls, for each attempt so far: some clients bear only hundreds of reconnects."""


class Step(StrEnum):
    """What a attempt's request is, where that is not just the input request; all but the first are methods."""

    ASK = "ask"
    POLL = "tasks/get"
    FETCH = "tasks/result"
    CANCEL = "tasks/cancel"


def first_step(session: Session, input_request: InputRequest) -> str | None:
    """Return how an input request is asked first."""
    declared = TASK_CAPABILITY.get(input_request.method)
    return Step.ASK if declared is not None and includes(session.capabilities, declared) else None


def request(attempt: Attempt, asked: Mapping[str, JSON], task: Task, input_request: InputRequest) -> Mapping[str, JSON]:
    """Return the request of a attempt; `asked` is the input request as it is without tasks."""
    if attempt.client_task is not None:
        return render.about_client_task(asked["id"], str(attempt.step), attempt.client_task)
    # Counted from when it was asked, and not from now: a request that is repeated is the same one.
    ttl = task.deadline(input_request) - (task.requested_at or task.created_at)
    return asked if attempt.step is None else render.task_augmented(asked, ttl)


def receive(
    delivery: Delivery, step: str | None, request_id: RequestId | None, response: InputResponse
) -> InputResponse | None:
    """Take what came back for a step, and return it if it is the answer to the input request; raises `RpcError`."""
    if step is None or (step == Step.ASK and (response.result or {}).get("task") is None):
        return response
    attempt = delivery.attempt()
    if attempt is None or attempt.request_id != request_id or step == Step.CANCEL:
        return None
    if response.error is not None and response.error["code"] == METHOD_NOT_FOUND:
        delivery.schedule_next(attempt, step=None, client_task=None, not_before=None)
        return None
    if step == Step.FETCH:
        return response
    if response.result is None:
        # Nothing is left to cancel; and if nobody lives to keep the error, the next request finds it once more.
        delivery.schedule_next(attempt, step=Step.FETCH, not_before=None)
        return response
    _schedule_poll(delivery, attempt, ClientTask.of(response.result))
    return None


def after_rejection(attempt: Attempt) -> Attempt:
    """Return what is next after an answer that did not fit: a task that gave it will give no other."""
    return replace(attempt, step=Step.ASK, client_task=None, not_before=None) if attempt.step == Step.FETCH else attempt


def cancellations(
    server: SessionServer, caller: Caller, session: Session, task: Task, stream: str
) -> list[OutgoingRequest]:
    """Return what a stream carries about tasks of the client's whose input requests are closed, told already or not."""
    if not _may_cancel(session):
        return []
    waiting = {input_request.key for input_request in task.input_requests}
    closed = [Delivery.to(server, caller, session, task, key) for key in task.requested if key not in waiting]
    return [delivered for delivery in closed for delivered in _cancelled(delivery, stream)]


def _schedule_poll(delivery: Delivery, attempt: Attempt, shown: ClientTask) -> None:
    named = shown.id if attempt.client_task is None else attempt.client_task
    if shown.is_final:
        delivery.schedule_next(attempt, step=Step.FETCH, client_task=named, not_before=None)
        return
    wished = timedelta(milliseconds=min(shown.poll_interval or 0, MAX_POLL_INTERVAL / timedelta(milliseconds=1)))
    after = delivery.server.tasks.now() + max(wished, MIN_POLL_INTERVAL, POLL_SLOWDOWN * attempt.attempt)
    delivery.schedule_next(attempt, step=Step.POLL, client_task=named, not_before=after)


def _cancelled(delivery: Delivery, stream: str) -> Iterator[OutgoingRequest]:
    attempt = delivery.attempt()
    if attempt is not None and attempt.step == Step.POLL:
        attempt = delivery.start(attempt, stream, step=Step.CANCEL)
    match attempt:
        case Attempt(step=Step.CANCEL, request_id=str(request_id), client_task=str(named)):
            if attempt.stream == stream:
                yield OutgoingRequest.of(render.about_client_task(request_id, Step.CANCEL, named))


def _may_cancel(session: Session) -> bool:
    asks = any(includes(session.capabilities, declared) for declared in TASK_CAPABILITY.values())
    return asks and includes(session.capabilities, CAN_CANCEL)
