"""Input requests of tasks, as requests to the client: each is told on one stream of a session, and answered by a POST.

Another session of the same caller is asked by a request of its own; whichever answers first, has answered.  Where a
client makes a task of the input request, `requestor` says what is asked next.
"""

import logging
from contextlib import suppress
from dataclasses import replace

from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.limits.requests import MAX_REJECTED_RESPONSES
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, Response, RpcError
from mcp_tasks.wire.rev_2025_11_25 import render, requestor, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import client_capabilities_of
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery, OutgoingRequest, digest, reference_of
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt, Session

logger = logging.getLogger(__name__)


def deliver(
    server: SessionServer, caller: Caller, session: Session, task: Task, stream: str, *, plain: bool
) -> list[OutgoingRequest]:
    """Return what a stream carries of a task's input requests, whether or not it told it already."""
    delivered = []
    for input_request, delivery in _deliveries(server, caller, session, task):
        attempt = delivery.attempt() or Attempt(attempt=0, step=requestor.first_step(session, input_request))
        match delivery.claim(attempt, stream):
            case Attempt(request_id=str(request_id)) as carried:
                url_elicitation.expect_completion(server, caller, session, input_request)
                asked = render.input_request(
                    request_id, input_request, task, plain=plain, last_error=carried.last_error
                )
                delivered.append(OutgoingRequest.of(requestor.request(carried, asked, task, input_request)))
    return [*delivered, *requestor.cancellations(server, caller, session, task, stream)]


def can_answer(session: Session, task: Task) -> bool:
    """Tell whether the task asks something that the client of a session can be asked."""
    return bool(_answerable(session, task))


def will_ask(session: Session, task: Task) -> bool:
    """Tell whether the client of a session is asked something, now or as soon as the task is suspended."""
    able = client_capabilities_of(session)
    return any(capability_needed(input_request) in able for input_request in task.input_requests)


def is_due(server: SessionServer, caller: Caller, session: Session, task: Task) -> bool:
    """Tell whether some input request waits for a stream to come along."""
    attempts = ((delivery, delivery.attempt()) for _, delivery in _deliveries(server, caller, session, task))
    return any(attempt is None or delivery.is_claimable(attempt) for delivery, attempt in attempts)


def receive(server: SessionServer, caller: Caller, response: Response) -> None:
    """Take a response for the answer to the input request that its id names; raises `RpcError` where it names none.

    One that comes late, or again, changes nothing.  One that does not fit is taken as well, and the input request asked
    anew, with what was wrong: nobody could answer a rejection, and to the Python client it is the end of its session.
    After `MAX_REJECTED_RESPONSES` of them the input request ends without an answer, as if its time were over.
    """
    named = reference_of(server, caller, response)
    try:
        task = server.tasks.get(caller, named.task_id)
        delivery = Delivery(
            server=server, caller=caller, task=task, session=named.session, input_request=named.input_request
        )
        _receive(delivery, named.step, response)
    except TaskNotFound:
        return
    except RpcError as error:
        _ask_again(delivery, response, str(error).removeprefix("Invalid params: ").rstrip("."))
    except BadInputResponse as error:
        _ask_again(delivery, response, error.reason)


def _deliveries(
    server: SessionServer, caller: Caller, session: Session, task: Task
) -> list[tuple[InputRequest, Delivery]]:
    """Return the ways of those of a task's input requests that the client can be asked."""
    asked = _answerable(session, task)
    return [(input_request, Delivery.to(server, caller, session, task, input_request.key)) for input_request in asked]


def _answerable(session: Session, task: Task) -> list[InputRequest]:
    able = client_capabilities_of(session)
    return [input_request for input_request in task.open_input_requests if capability_needed(input_request) in able]


def _receive(delivery: Delivery, step: str | None, response: Response) -> None:
    answer = requestor.receive(delivery, step, response.id, _input_response(response))
    key = _key(delivery)
    if key is not None and answer is not None:
        delivery.server.suspension.answer(delivery.caller, delivery.task.id, {key: answer})


def _key(delivery: Delivery) -> str | None:
    """Return the key of the input request, if it is open."""
    return next(
        (each.key for each in delivery.task.open_input_requests if digest(each.key) == delivery.input_request), None
    )


def _input_response(response: Response) -> InputResponse:
    """Return the answer; an error is one, too, cut down to what a tool can be told."""
    match response.error:
        case None:
            return InputResponse(result=response.result)
        case {"code": int(code), "message": str(message)}:
            return InputResponse(error={"code": code, "message": message[:MAX_LINE_CHARACTERS]})
        case _:
            raise RpcError(INVALID_PARAMS, "Invalid params: an error has a code, which is an integer, and a message.")


def _ask_again(delivery: Delivery, response: Response, last_error: str) -> None:
    """Let the next stream ask once more, since the client takes its input request for answered; or ask no more."""
    attempt = delivery.attempt()
    logger.info("an answer of task %s does not fit: %s", delivery.task.id, last_error)
    if attempt is None or attempt.request_id != response.id:
        return
    rejected = attempt.rejected + 1
    if rejected < MAX_REJECTED_RESPONSES:
        delivery.schedule_next(replace(requestor.after_rejection(attempt), rejected=rejected, last_error=last_error))
    else:
        _end_unanswered(delivery)


def _end_unanswered(delivery: Delivery) -> None:
    """End the input request without an answer.

    The attempt stays as it is: should this fail, the same answer given again ends the input request then.
    """
    key = _key(delivery)
    if key is None:
        return
    logger.warning("task %s goes on without an answer: %d did not fit", delivery.task.id, MAX_REJECTED_RESPONSES)
    with suppress(TaskNotFound):
        delivery.server.suspension.give_up(delivery.caller, delivery.task.id, key)
