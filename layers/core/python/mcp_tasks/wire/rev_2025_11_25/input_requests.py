"""Input requests of tasks, sent as JSON-RPC requests on one stream of each session, and the responses to them.

Each session of a caller is sent a request of its own; the first valid response is the input response.  Where a client
runs the request as a task of its own, `requestor` decides what is sent next.
"""

import logging
from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import replace

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.limits.requests import MAX_REJECTED_RESPONSES
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from mcp_tasks.wire import authorization
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, Response, RpcError
from mcp_tasks.wire.rev_2025_11_25 import render, requestor, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import client_capabilities_of
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery, OutgoingRequest, digest, reference_of
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt, Session

logger = logging.getLogger(__name__)


def deliver(
    server: SessionServer,
    caller: Caller,
    session: Session,
    task: Task,
    stream: str,
    *,
    plain: bool,
    read: Container[str],
) -> list[OutgoingRequest]:
    """Return the requests about a task that a stream carries, sent or not; it claims those that no stream carries.

    `read` are the digests of those after which the client has resumed the stream.
    """
    requests = []
    for input_request, delivery, attempt in _attempts(server, caller, session, task):
        before = attempt or Attempt(number=0, kind=requestor.first_kind(session, input_request))
        match delivery.claim(before, stream, read):
            case Attempt(request_id=str(request_id)) as carried:
                url_elicitation.expect_completion(server, caller, session, input_request)
                plain_request = render.input_request(
                    request_id, input_request, task, plain=plain, last_error=carried.last_error
                )
                requests.append(OutgoingRequest.of(requestor.request(carried, plain_request, task, input_request)))
    return [*requests, *requestor.cancellations(server, caller, session, task, stream)]


def can_answer(session: Session, task: Task) -> bool:
    """Return whether the task has an open input request that the client of a session declared it can answer."""
    return bool(_answerable(session, task))


def will_request_input(session: Session, task: Task) -> bool:
    """Return whether the client of a session is sent an input request, now or as soon as the task is suspended."""
    able = client_capabilities_of(session)
    return any(capability_needed(input_request) in able for input_request in task.input_requests)


def is_due(server: SessionServer, caller: Caller, session: Session, task: Task) -> bool:
    """Return whether a request about the task is due that no stream carries."""
    attempts = _attempts(server, caller, session, task)
    return any(attempt is None or delivery.is_claimable(attempt) for _, delivery, attempt in attempts)


def receive(server: SessionServer, caller: Caller, response: Response) -> None:
    """Answer the input request that the id of a response refers to; raises `RpcError` where it refers to none.

    A response that comes late, or again, changes nothing.  An invalid one is accepted, too, and the input request sent
    again with what was wrong: an HTTP error would reach no user, and ends the session of the Python client.  After
    `MAX_REJECTED_RESPONSES` of them the input request ends without a response, as if it had timed out.
    """
    reference = reference_of(server, caller, response)
    try:
        task = server.tasks.get(caller, reference.task_id)
        # Before anything is counted as an invalid response: enough of them end the input request.
        authorization.check_answer(server, caller, task)
        delivery = Delivery(
            server=server, caller=caller, task=task, session=reference.session, input_request=reference.input_request
        )
        _receive(delivery, reference.kind, response)
    except TaskNotFound:
        return
    except RpcError as error:
        _request_again(delivery, response, str(error).removeprefix("Invalid params: ").rstrip("."))
    except BadInputResponse as error:
        _request_again(delivery, response, error.reason)


def _attempts(
    server: SessionServer, caller: Caller, session: Session, task: Task
) -> Iterator[tuple[InputRequest, Delivery, Attempt | None]]:
    """Yield the open input requests of a task that the client can answer, with their deliveries and last attempts.

    One whose last attempt cannot be read is left out, as if another stream carried it.
    """
    if server.sessions.is_silent(session):
        return
    for input_request in _answerable(session, task):
        delivery = Delivery.to(server, caller, session, task, input_request.key)
        with skip_unreadable("an input request is not sent", owner_key=caller.owner_key, task=task.id):
            yield input_request, delivery, delivery.attempt()


def _answerable(session: Session, task: Task) -> list[InputRequest]:
    able = client_capabilities_of(session)
    return [input_request for input_request in task.open_input_requests if capability_needed(input_request) in able]


def _receive(delivery: Delivery, kind: str | None, response: Response) -> None:
    answer = requestor.receive(delivery, kind, response.id, _input_response(response))
    key = _key(delivery)
    if key is not None and answer is not None:
        delivery.server.suspension.answer(delivery.caller, delivery.task.id, {key: answer})


def _key(delivery: Delivery) -> str | None:
    """Return the key of the input request, if it is open."""
    return next(
        (each.key for each in delivery.task.open_input_requests if digest(each.key) == delivery.input_request), None
    )


def _input_response(response: Response) -> InputResponse:
    """Return the input response of a JSON-RPC response; an error's message is cut to `MAX_LINE_CHARACTERS`."""
    match response.error:
        case None:
            return InputResponse(result=response.result)
        case {"code": int(code), "message": str(message)}:
            return InputResponse(error={"code": code, "message": message[:MAX_LINE_CHARACTERS]})
        case _:
            raise RpcError(INVALID_PARAMS, "Invalid params: an error has a code, which is an integer, and a message.")


def _request_again(delivery: Delivery, response: Response, last_error: str) -> None:
    """Let the next stream send the input request again, or end it after `MAX_REJECTED_RESPONSES` responses."""
    attempt = delivery.attempt()
    logger.info("an input response of task %s is not valid: %s", delivery.task.id, last_error)
    if attempt is None or attempt.request_id != response.id:
        return
    rejected = attempt.rejected + 1
    if rejected < MAX_REJECTED_RESPONSES:
        delivery.schedule_next(replace(requestor.after_rejection(attempt), rejected=rejected, last_error=last_error))
    else:
        _end_unanswered(delivery)


def _end_unanswered(delivery: Delivery) -> None:
    """End the input request without a response.

    The attempt is left as it is: should this fail, the same response sent again ends the input request.
    """
    key = _key(delivery)
    if key is None:
        return
    logger.warning(
        "task %s goes on without an input response: %d were not valid", delivery.task.id, MAX_REJECTED_RESPONSES
    )
    with suppress(TaskNotFound):
        delivery.server.suspension.give_up(delivery.caller, delivery.task.id, key)
