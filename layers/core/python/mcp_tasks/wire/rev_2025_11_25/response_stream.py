"""The SSE stream that answers a `tasks/result`, or a plain call, which may last longer than a gateway allows.

    POST tasks/result             ->  id: E0, retry, no data; the connection closes, the stream goes on
    GET, Last-Event-ID: E0        ->  id: E1, retry, no data; updates of the task, if there are any; closes
    GET, Last-Event-ID: E1        ->  id: E2, retry, no data; the response to the POST; the stream has ended

An event id holds the whole state of its stream, signed for the caller: nothing is stored for a client that waits, and
any instance can resume the stream.  Every connection begins with an event id of its own, since some clients resume at a
wrong event otherwise (typescript-sdk issue 2499).  Disconnecting does not affect the task.
    -- 2025-11-25, Transports, Resumability and Redelivery
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.engine.task_tools import outcome_of
from mcp_tasks.limits.pace import KEEPALIVE_INTERVAL
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, TaskNotFound, UnreadableItem
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import authorization, extension, jsonrpc
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, RequestId, RpcError
from mcp_tasks.wire.refusals import unreadable_item
from mcp_tasks.wire.rev_2025_11_25 import input_requests, render, response_pace, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import Call, declares_extension
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId
from mcp_tasks.wire.rev_2025_11_25.response_events import Sent, event, events_of, last_event, requests_to_send
from mcp_tasks.wire.rev_2025_11_25.response_pace import RETRY, ResponsePosition
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session
from mcp_tasks.wire.sse import Event


class StreamEnded(Exception):
    """The stream cannot be resumed: its response was sent, its request was cancelled, or it is another session's."""


def begin(
    call: Call,
    task: Task,
    preceding: Sequence[Mapping[str, JSON]] = (),
    *,
    plain: bool = False,
    token: RequestId | None = None,
    began_at: datetime | None = None,
    max_wait: timedelta | None = None,
) -> list[Event]:
    """Return the first events of the stream that answers the call once the task is final.

    They are the `preceding` notifications, which report what happened before the stream began, and the task's input
    requests.  A plain call is sent progress alone, under its own `token`; `began_at` is when the request came in, which
    may have been some seconds ago.
    """
    position = ResponsePosition(
        session=call.session.id,
        request_id=call.id,
        task_id=task.id,
        reported_version=None if plain and token is None else task.version,
        reported_progress=_highest_progress(None, task),
        plain=plain,
        began_at=(began_at or call.server.tasks.now()).timestamp(),
        max_wait=None if max_wait is None else max_wait.total_seconds(),
        token=token,
    )
    requests = requests_to_send(call.server, call.caller, call.session, task, position)
    retry = _retry(call.server, call.caller, call.session, position, task, is_held=True)
    first = replace(event(call.server, call.caller, position), retry=retry)
    carried = events_of(call.server, call.caller, position, requests)
    return [first, *(Event(message=each) for each in preceding), *carried]


def resume(server: SessionServer, caller: Caller, session: Session, last: EventId) -> list[Event]:
    """Wait for updates after an event of the stream, and return the events that report them.

    Raises `StreamEnded` where the stream cannot be resumed, and `InsufficientScope` where the caller's token of today
    would not do for the request that it answers.
    """
    position = _verified_position(server, caller, session, last)
    try:
        first, *others = _continuation(server, caller, session, position)
    except NewerSchema:
        # The client resumes later, perhaps at an instance of the newer release.
        raise
    except (TaskNotFound, UnreadableItem) as error:
        content = jsonrpc.error(position.request_id, _reason(error, caller, position))
        here = _resumed(position)
        first, others = event(server, caller, here), [last_event(server, caller, here, content)]
    completed = [Event(message=message) for message in url_elicitation.notifications(server, caller, session)]
    return [first, *completed, *others]


def _continuation(server: SessionServer, caller: Caller, session: Session, position: ResponsePosition) -> list[Event]:
    """Wait after the position, and return the event to resume at, the updates, the input requests and the response."""
    task, here, requests, is_held = _awaited(server, caller, session, position)
    updates = list(_updates(server, caller, task, position))
    ends = is_final(task) or not _remaining_wait(server, session, position, task)
    retry = _retry(server, caller, session, here, task, is_held=is_held)
    if not ends and response_pace.token_of(task, position) is not None:
        updates, here = _with_keepalive(server, caller, task, here, updates, retry)
        retry = min(retry, KEEPALIVE_INTERVAL)
    return [
        replace(event(server, caller, here), retry=retry),
        *(Event(message=each) for each in updates),
        *events_of(server, caller, here, requests),
        *([_response(server, caller, session, here, task)] if ends else []),
    ]


def _awaited(
    server: SessionServer, caller: Caller, session: Session, position: ResponsePosition
) -> tuple[Task, ResponsePosition, list[Sent], bool]:
    """Wait for something to send; return the task, the position, its input requests, and whether it could be held."""
    task, here, is_held = server.tasks.get(caller, position.task_id), _resumed(position), True
    _check_scopes(server, caller, position, task)
    requests = requests_to_send(server, caller, session, task, position)
    if not requests:
        task, is_held = _wait(server, caller, session, position, task)
        here = here if position.reported_version is None else replace(here, reported_version=task.version)
        requests = requests_to_send(server, caller, session, task, position)
    progress = _highest_progress(position.reported_progress, task)
    return task, replace(here, reported_progress=progress), requests, is_held


def _resumed(position: ResponsePosition) -> ResponsePosition:
    return replace(position, resumptions=position.resumptions + 1)


def _check_scopes(server: SessionServer, caller: Caller, position: ResponsePosition, task: Task) -> None:
    if not position.plain:
        authorization.check_method(server, caller, "tasks/result")
    elif tool := server.features.tools.find(task.tool):
        authorization.check_call(server, caller, tool)


def _reason(error: TaskNotFound | UnreadableItem, caller: Caller, position: ResponsePosition) -> RpcError:
    """Return why a stream ends without the outcome of its task."""
    if isinstance(error, TaskNotFound):
        return render.unknown_task(position.task_id)
    return unreadable_item(error, caller)


def answer(server: SessionServer, caller: Caller, task: Task) -> dict[str, JSON]:
    """Return the result of a final task, for `tasks/result`; raises `RpcError` where the task ended in an error."""
    if task.state is State.CANCELLED:
        raise RpcError(INTERNAL_ERROR, "The task was cancelled: there is no result.")
    return render.task_outcome(task, server.tasks.outcome(caller, task.id))


def _wait(
    server: SessionServer, caller: Caller, session: Session, position: ResponsePosition, task: Task
) -> tuple[Task, bool]:
    """Wait until the task has updates or input requests to send, or it is not worth waiting for them any longer.

    Returns the task, and whether the connection could be held if that was worth it: not where the tenant holds as many
    as it may.
    """
    longest = response_pace.longest_hold(server, caller, position, task)
    timeout = min(longest, _remaining_wait(server, session, position, task))
    if is_final(task) or not timeout:
        return task, True
    with server.admission.hold(caller) as is_held:
        task = server.tasks.wait(
            caller,
            task.id,
            since=position.reported_version,
            timeout=timeout if is_held else timedelta(),
            debounce=response_pace.pacing(server, caller, position, task).debounce,
            until=lambda task: input_requests.is_due(server, caller, session, task),
        )
    return task, is_held


def _retry(
    server: SessionServer, caller: Caller, session: Session, position: ResponsePosition, task: Task, *, is_held: bool
) -> timedelta:
    """Return when the client should resume the stream: no later than a plain call has to be answered."""
    after = response_pace.retry(server, caller, position, task, is_held=is_held)
    return max(min(after, _remaining_wait(server, session, position, task)), RETRY)


def _with_keepalive(
    server: SessionServer,
    caller: Caller,
    task: Task,
    position: ResponsePosition,
    updates: list[Mapping[str, JSON]],
    retry: timedelta,
) -> tuple[list[Mapping[str, JSON]], ResponsePosition]:
    """Return the updates with progress among them if the client's timeout needs it, and the position after them."""
    if any(each["method"] == "notifications/progress" for each in updates):
        return updates, replace(position, progress_sent_at=server.tasks.now().timestamp())
    progress, position = response_pace.keepalive(server, caller, position, task, retry)
    if progress is None:
        return updates, position
    shown = _progress(replace(task, progress=progress), position)
    return [*updates, *filter(None, [shown])], position


def _updates(
    server: SessionServer, caller: Caller, task: Task, position: ResponsePosition
) -> Iterator[Mapping[str, JSON]]:
    """Yield the notifications of a newer version of the task, each unless another stream has sent it."""
    if position.reported_version is None or task.version <= position.reported_version:
        return
    progress = _progress(task, position)
    # Input requests and responses give a task a new version as well, without any progress.
    if (
        progress is not None
        and _highest_progress(position.reported_progress, task) != position.reported_progress
        and response_pace.is_higher(server, caller, position, task, progress["params"]["progress"])
    ):
        yield progress
    if not position.plain and server.tasks.claim_notification(caller, task, position.session):
        yield render.task_status(task, server.tasks.poll_interval(caller, task))


def _progress(task: Task, position: ResponsePosition) -> dict[str, JSON] | None:
    if position.plain:
        return render.progress(task, position.token)
    return None if response_pace.token_of(task, position) is None else render.task_progress(task)


def _highest_progress(before: float | None, task: Task) -> float | None:
    known = [before, None if task.progress is None else task.progress.progress]
    return max((each for each in known if each is not None), default=None)


def plain_answer(server: SessionServer, caller: Caller, session: Session, task: Task) -> dict[str, JSON]:
    """Return the result of a plain call: that of its task, or the task's handle while it is not final.

    A client that declares the tasks extension gets a handle of the extension, too.  Raises `RpcError` where the call
    ended in an error.
    """
    shown = render.outcome(outcome_of(server.tasks, caller, task))
    if is_final(task) or not declares_extension(session):
        return shown
    server.subscriptions.follow(caller, session.id, task)
    return {**shown, **extension.created(task, server.tasks.poll_interval(caller, task))}


def _response(server: SessionServer, caller: Caller, session: Session, position: ResponsePosition, task: Task) -> Event:
    if not is_final(task):
        # Some hosts cancel every request once they have its response (opencode): that must not cancel the task.
        server.sessions.detach_task(caller, session, position.request_id)
    try:
        plain = position.plain
        shown = plain_answer(server, caller, session, task) if plain else answer(server, caller, task)
        message = jsonrpc.result(position.request_id, shown)
    except RpcError as error:
        with suppress(MissingCapability):
            url_elicitation.expect_completions_of(server, caller, session, error)
        message = jsonrpc.error(position.request_id, error)
    return last_event(server, caller, position, message)


def _remaining_wait(server: SessionServer, session: Session, position: ResponsePosition, task: Task) -> timedelta:
    """Return how long the call may still wait: without limit while this client can answer an input request of it."""
    if position.max_wait is None or input_requests.will_request_input(session, task):
        return timedelta.max
    since = max(position.began_at, task.resumed_at.timestamp() if task.resumed_at else 0)
    return max(timedelta(), timedelta(seconds=since + position.max_wait - server.tasks.now().timestamp()))


def _verified_position(server: SessionServer, caller: Caller, session: Session, last: EventId) -> ResponsePosition:
    try:
        position = ResponsePosition(**last.position, progress_sent_at=last.since)
    except TypeError:
        # A newer release has other fields.
        raise StreamEnded from None
    if position.ended or position.session != session.id:
        raise StreamEnded
    if not server.sessions.awaits_response(caller, session.id, position.request_id):
        raise StreamEnded
    return position
