"""How `tasks/result`, and a call that is no task, last longer than a gateway allows, by this revision's own rules.

    POST tasks/result  ->  id: C0, retry, no data; the connection closes, the stream goes on
    GET, last id C0    ->  id: C1, retry, no data; news of the task if there are any; closes
    GET, last id C1    ->  id: C2, retry, no data; the answer to the POST; the stream has ended

A cursor says all there is to know of its stream, signed for the caller, so that nothing is stored for those who wait
and any instance can go on.  Every connection begins with a fresh one, or some clients lose their place
(typescript-sdk issue 2499).  Nothing that a client does to a stream touches the task.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.engine.task_tools import outcome_of
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import extension, jsonrpc
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, RequestId, RpcError
from mcp_tasks.wire.rev_2025_11_25 import event_ids, input_requests, render, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import Call, declares_extension
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId, Kind
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, stream_name
from mcp_tasks.wire.sse import Event

RETRY = timedelta(milliseconds=200)

DEBOUNCE = timedelta(seconds=1)
"""How long the first GET collects news before it tells them; each GET after it collects a little longer.

Telling costs a reconnect, and the Python client dies of recursion after some 700 of them, so a stream that lives long
must become lazy.  The answer itself is never kept back.
"""


class StreamEnded(Exception):
    """There is nothing to resume: answered, given up, or another session's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A place in the stream that answers one `tasks/result`, or one `plain` call of a tool.

    `version` is the last one that was told of, None where nothing but the answer is to be told, and `reached` how far
    the work was then.  `token` is a plain call's own; a task's progress bears that of the call that created it.
    `delivered` are the digests of input requests.  A plain call that is not done `span` seconds after it `began` (in
    seconds since 1970), or after its last input request was answered, is handed its task's id instead.
    """

    session: str
    request_id: RequestId
    task_id: str
    version: int | None
    reached: float | None = None
    plain: bool = False
    began: float = 0
    span: float | None = None
    token: RequestId | None = None
    delivered: list[str] = field(default_factory=list)
    resumed: int = 0
    answered: bool = False


def begin(
    call: Call,
    task: Task,
    delivered: Sequence[Mapping[str, JSON]] = (),
    *,
    plain: bool = False,
    token: RequestId | None = None,
    began: datetime | None = None,
    span: timedelta | None = None,
) -> list[Event]:
    """Begin the stream that will answer the call when the task is final, with what the task asks already.

    Of a plain call there is only progress to tell, by the `token` that the client gave this call; `delivered` is what
    came of it so far.  The call `began` when it came, which may have been some seconds ago.
    """
    cursor = Cursor(
        session=call.session.id,
        request_id=call.id,
        task_id=task.id,
        version=None if plain and token is None else task.version,
        reached=_reached(None, task),
        plain=plain,
        began=(began or call.server.tasks.now()).timestamp(),
        span=None if span is None else span.total_seconds(),
        token=token,
    )
    asked, _ = _input_requests(call.server, call.caller, call.session, task, cursor)
    return [_place(call.server, call.caller, cursor), *(Event(message=message) for message in delivered), *asked]


def resume(server: SessionServer, caller: Caller, session: Session, last: EventId) -> list[Event]:
    """Wait at a place for news, then go on from there; raises `StreamEnded`."""
    cursor = _cursor(server, caller, session, last)
    here = replace(cursor, resumed=cursor.resumed + 1)
    try:
        task = server.tasks.get(caller, cursor.task_id)
        asked, after = _input_requests(server, caller, session, task, here)
        if not asked:
            task = _wait(server, caller, session, cursor, task)
            here = here if cursor.version is None else replace(here, version=task.version)
            asked, after = _input_requests(server, caller, session, task, here)
        here, after = (replace(each, reached=_reached(cursor.reached, task)) for each in (here, after))
        updates = [Event(message=message) for message in _updates(server, caller, task, cursor)]
        over = is_final(task) or not _left(server, session, cursor, task)
        if over and not is_final(task):
            # Some hosts cancel every request that they have the answer of (opencode): the task outlives this one.
            server.sessions.hand_over(caller, session, cursor.request_id)
        answers = [_answer(server, caller, session, after, task)] if over else []
    except TaskNotFound:
        gone = jsonrpc.error(cursor.request_id, render.unknown_task(cursor.task_id))
        asked, updates, answers = [], [], [_ending(server, caller, here, gone)]
    done = [Event(message=message) for message in url_elicitation.updates(server, caller, session)]
    return [_place(server, caller, here), *done, *updates, *asked, *answers]


def answer(server: SessionServer, caller: Caller, task: Task) -> dict[str, JSON]:
    """Return what the call behind a final task ended in; raises `RpcError` where that is an error."""
    if task.state is State.CANCELLED:
        raise RpcError(INTERNAL_ERROR, "The task was cancelled: there is no result.")
    return render.task_outcome(task, server.tasks.outcome(caller, task.id))


def _wait(server: SessionServer, caller: Caller, session: Session, cursor: Cursor, task: Task) -> Task:
    """Wait for news of the task, for something more to ask, or for the time to hand it over."""
    return server.tasks.wait(
        caller,
        task.id,
        since=cursor.version,
        timeout=min(server.max_hold, _left(server, session, cursor, task)),
        debounce=DEBOUNCE * (1 + cursor.resumed / 10),
        until=lambda task: input_requests.is_due(server, caller, session, task),
    )


def _input_requests(
    server: SessionServer, caller: Caller, session: Session, task: Task, cursor: Cursor
) -> tuple[list[Event], Cursor]:
    """Tell what the task asks and this stream carries; each is a place of its own, after which it is told."""
    stream = stream_name(session.id, cursor.request_id)
    carried = input_requests.tell(server, caller, session, task, stream, plain=cursor.plain)
    # What is carried no more will not be told again: it would only make the cursor longer.
    delivered = [each.digest for each in carried if each.digest in cursor.delivered]
    events = []
    for each in carried:
        if each.digest not in delivered:
            delivered = [*delivered, each.digest]
            events.append(replace(_place(server, caller, replace(cursor, delivered=delivered)), message=each.request))
    return events, replace(cursor, delivered=delivered)


def _updates(server: SessionServer, caller: Caller, task: Task, cursor: Cursor) -> Iterator[Mapping[str, JSON]]:
    """Tell what is new about the task, unless another stream told it to the same listener."""
    # The progress of a plain call is for its own stream; whatever else there is, for any stream of the session.
    listener = stream_name(cursor.session, cursor.request_id) if cursor.plain else cursor.session
    if (
        cursor.version is None
        or task.version <= cursor.version
        or not server.tasks.claim_notification(caller, task, listener)
    ):
        return
    progress = _progress(task, cursor)
    # What was asked or answered makes a task newer, but no further.
    if progress is not None and _reached(cursor.reached, task) != cursor.reached:
        yield progress
    if not cursor.plain:
        yield render.task_status(task, server.tasks.now())


def _progress(task: Task, cursor: Cursor) -> dict[str, JSON] | None:
    if cursor.plain:
        return render.progress(task, cursor.token)
    # To another session the token may be that of a request of its own.
    return render.task_progress(task) if task.session == cursor.session else None


def _reached(before: float | None, task: Task) -> float | None:
    known = [before, None if task.progress is None else task.progress.progress]
    return max((each for each in known if each is not None), default=None)


def plain_answer(server: SessionServer, caller: Caller, session: Session, task: Task) -> dict[str, JSON]:
    """Return what a plain call is answered by now: with how its task ended, or with the task; raises `RpcError`.

    To a client that declares the extension the task is shown as a handle, too.
    """
    shown = render.outcome(outcome_of(server.tasks, caller, task))
    if is_final(task) or not declares_extension(session):
        return shown
    server.subscriptions.follow(caller, session.id, task)
    return {**shown, **extension.created(task, server.tasks.now())}


def _answer(server: SessionServer, caller: Caller, session: Session, cursor: Cursor, task: Task) -> Event:
    try:
        plain = cursor.plain
        shown = plain_answer(server, caller, session, task) if plain else answer(server, caller, task)
        message = jsonrpc.result(cursor.request_id, shown)
    except RpcError as error:
        with suppress(MissingCapability):
            url_elicitation.required(server, caller, session, error)
        message = jsonrpc.error(cursor.request_id, error)
    return _ending(server, caller, cursor, message)


def _ending(server: SessionServer, caller: Caller, cursor: Cursor, message: Mapping[str, JSON]) -> Event:
    return replace(_place(server, caller, replace(cursor, answered=True)), retry=None, message=message)


def _left(server: SessionServer, session: Session, cursor: Cursor, task: Task) -> timedelta:
    """Return how long the call may still wait: for ever, while its own client can answer what is asked."""
    if cursor.span is None or input_requests.will_ask(session, task):
        return timedelta.max
    since = max(cursor.began, task.resumed_at.timestamp() if task.resumed_at else 0)
    return max(timedelta(), timedelta(seconds=since + cursor.span - server.tasks.now().timestamp()))


def _place(server: SessionServer, caller: Caller, cursor: Cursor) -> Event:
    return Event(id=event_ids.sign(server, caller, Kind.RESPONSE, asdict(cursor)), retry=RETRY)


def _cursor(server: SessionServer, caller: Caller, session: Session, last: EventId) -> Cursor:
    cursor = Cursor(**last.place)
    if cursor.answered or cursor.session != session.id:
        raise StreamEnded
    if not server.sessions.is_answering(caller, session.id, cursor.request_id):
        raise StreamEnded
    return cursor
