"""How `tasks/result`, and a call that is no task, last longer than a gateway allows, by this revision's own rules.

    POST tasks/result  ->  id: C0, retry, no data; the connection closes, the stream goes on
    GET, last id C0    ->  id: C1, retry, no data; news of the task if there are any; closes
    GET, last id C1    ->  id: C2, retry, no data; the answer to the POST; the stream has ended

A cursor says all there is to know of its stream, sealed for the caller, so that nothing is stored for those who wait
and any instance can go on.  Every connection begins with a fresh one, or some clients lose their place
(typescript-sdk issue 2499).  Nothing that a client does to a stream touches the task.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from mcp_tasks.handover import outcome_of
from mcp_tasks.sealing import BadSeal
from mcp_tasks.sessions import Session
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.tenancy import Caller
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, RequestId, RpcError
from mcp_tasks.wire.rev_2025_11_25 import render
from mcp_tasks.wire.rev_2025_11_25.call import Call
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.sse import Event

PURPOSE = "2025-11-25 stream 2"
"""Name another when the members of `Cursor` change, so that the places of before are none."""

LIFETIME = timedelta(hours=24)
RETRY = timedelta(milliseconds=200)

LULL = timedelta(seconds=1)
"""How long the first GET collects news before it tells them; each GET after it collects a little longer.

Telling costs a reconnect, and the Python client dies of recursion after some 700 of them, so a stream that lives long
must become lazy.  The answer itself is never kept back.
"""


class StreamEnded(Exception):
    """There is nothing to resume: answered, given up, expired, forged or somebody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A place in the stream that answers one `tasks/result`, or one `plain` call of a tool.

    `version` is the last one that was told of, None where nothing but the answer is to be told.  `until`, in seconds
    since 1970, is when a plain call that is not done is handed its task's id instead.
    """

    session: str
    request_id: RequestId
    task_id: str
    version: int | None
    plain: bool = False
    until: float | None = None
    resumed: int = 0
    answered: bool = False


def begin(call: Call, task: Task, *, plain: bool = False, until: datetime | None = None) -> list[Event]:
    """Begin the stream that will answer the call when the task is final."""
    cursor = Cursor(
        session=call.session.id,
        request_id=call.id,
        task_id=task.id,
        # Of a plain call there is only progress to tell, to a client that asked for it.
        version=None if plain and task.progress_token is None else task.version,
        plain=plain,
        until=None if until is None else until.timestamp(),
    )
    return [_place(call.server, call.caller, cursor)]


def resume(server: Server, caller: Caller, session: Session, last_event_id: str) -> list[Event]:
    """Wait at a place for news, then go on from there; raises `StreamEnded`."""
    cursor = _open(server, caller, session, last_event_id)
    try:
        lull = LULL * (1 + cursor.resumed / 10)
        patience = server.hold if cursor.until is None else min(server.hold, _left(server, cursor.until))
        task = server.tasks.wait(caller, cursor.task_id, since=cursor.version, patience=patience, lull=lull)
        version = None if cursor.version is None else task.version
        here = replace(cursor, version=version, resumed=cursor.resumed + 1)
        news = [Event(message=message) for message in _news(server, caller, task, cursor)]
        over = is_final(task) or (cursor.until is not None and not _left(server, cursor.until))
        answers = [_answer(server, caller, here, task)] if over else []
    except TaskNotFound:
        here = replace(cursor, resumed=cursor.resumed + 1)
        gone = jsonrpc.error(cursor.request_id, render.unknown_task(cursor.task_id))
        news, answers = [], [_ending(server, caller, here, gone)]
    return [_place(server, caller, here), *news, *answers]


def answer(server: Server, caller: Caller, task: Task) -> dict[str, JSON]:
    """Return what the call behind a final task ended in; raises `RpcError` where that is an error."""
    if task.state is State.CANCELLED:
        raise RpcError(INTERNAL_ERROR, "The task was cancelled: there is no result.")
    return render.task_outcome(task, server.tasks.outcome(caller, task.id))


def _news(server: Server, caller: Caller, task: Task, cursor: Cursor) -> Iterator[Mapping[str, JSON]]:
    """Tell what is new about the task, unless another stream told it."""
    if cursor.version is None or task.version <= cursor.version or not server.tasks.announce(caller, task):
        return
    # To another session the token may be that of a request of its own.
    progress = render.task_progress(task, plain=cursor.plain) if task.session == cursor.session else None
    if progress is not None:
        yield progress
    if not cursor.plain:
        yield render.task_status(task)


def _answer(server: Server, caller: Caller, cursor: Cursor, task: Task) -> Event:
    try:
        shown = render.outcome(outcome_of(server.tasks, caller, task)) if cursor.plain else answer(server, caller, task)
        message = jsonrpc.result(cursor.request_id, shown)
    except RpcError as error:
        message = jsonrpc.error(cursor.request_id, error)
    return _ending(server, caller, cursor, message)


def _ending(server: Server, caller: Caller, cursor: Cursor, message: Mapping[str, JSON]) -> Event:
    return replace(_place(server, caller, replace(cursor, answered=True)), retry=None, message=message)


def _left(server: Server, until: float) -> timedelta:
    left = until - server.tasks.now().timestamp()
    return timedelta(seconds=max(0, left))


def _place(server: Server, caller: Caller, cursor: Cursor) -> Event:
    # The salt keeps event ids unique when two connections resume one place.
    value = {**asdict(cursor), "salt": secrets.token_hex(4)}
    return Event(id=server.sealer.seal(value, purpose=PURPOSE, scope=caller.scope, lifetime=LIFETIME), retry=RETRY)


def _open(server: Server, caller: Caller, session: Session, last_event_id: str) -> Cursor:
    try:
        value = dict(server.sealer.open(last_event_id, purpose=PURPOSE, scope=caller.scope))
    except BadSeal as error:
        raise StreamEnded from error
    del value["salt"]
    cursor = Cursor(**value)
    if cursor.answered or cursor.session != session.id:
        raise StreamEnded
    if not server.sessions.is_answering(caller, session.id, cursor.request_id):
        raise StreamEnded
    return cursor
