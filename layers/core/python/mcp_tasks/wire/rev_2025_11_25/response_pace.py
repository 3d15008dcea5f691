"""Where a response stream is, and its pace: how long a GET is held, after how long it is resumed, what is repeated.

`tasks/pace.py` says when the task is polled.  A client with a progress token is sent progress every
`KEEPALIVE_INTERVAL` beside that: some time out a request of which they receive nothing for a minute (TypeScript SDK).
"""

import math
import struct
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from mcp_tasks.limits.pace import KEEPALIVE_INTERVAL
from mcp_tasks.limits.waits import WAIT_ENDS
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Progress, Task
from mcp_tasks.tasks.pace import Known, Pacing
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import stream_name

NONE_YET: Final = Progress(progress=-(2**30) * math.ulp(0.0))
"""What is repeated of a task that has not reported any: less than the 0 that it may report, for 34 years."""

RETRY = timedelta(milliseconds=200)
"""After which a stream is resumed that is held then."""


@record
class ResponsePosition:
    """The state of a response stream as of one of its events, which the event's id holds.

    A `plain` stream answers a plain call: a `tools/call` without `params.task`; any other answers a `tasks/result`.

    `reported_version` is the version of the task that the client knows, or None where it is sent no updates but the
    response; `reported_progress` is the progress of that version.  `token` is the progress token of a plain call; the
    progress of a task has the token of the call that created it.  `delivered` are the digests of the input requests
    that were sent.  A plain call is answered with the handle of its task if it is not done `max_wait` seconds after
    `began_at` (seconds since 1970), or after its last input request was answered.  `resumptions` counts the GETs, and
    `progress_sent_at` is when the client was last sent progress.
    """

    session: str
    request_id: RequestId
    task_id: str
    reported_version: int | None
    reported_progress: float | None = None
    plain: bool = False
    began_at: float = 0
    max_wait: float | None = None
    token: RequestId | None = None
    delivered: list[str] = field(default_factory=list)
    resumptions: int = 0
    ended: bool = False
    progress_sent_at: float | None = None


def token_of(task: Task, position: ResponsePosition) -> RequestId | None:
    """Return the progress token of whoever reads the stream."""
    if position.plain:
        return position.token
    # In another session the same token may belong to another request.
    return task.progress_token if task.session == position.session else None


def pacing(server: SessionServer, caller: Caller, position: ResponsePosition, task: Task) -> Pacing:
    """Return when the stream should poll its task again, and how long its connection may be held."""
    waits_since = datetime.fromtimestamp(position.began_at, UTC) if position.began_at else None
    progress = token_of(task, position) is not None
    return server.tasks.pace(
        caller, task, Known(waits_since=waits_since, polls=position.resumptions, progress=progress)
    )


def longest_hold(server: SessionServer, caller: Caller, position: ResponsePosition, task: Task) -> timedelta:
    """Return how long the connection may be held now, and no longer than until the next keep-alive is due."""
    hold = min(server.max_hold, pacing(server, caller, position, task).hold)
    if token_of(task, position) is None:
        return hold
    return max(min(hold, _silence_ends(position) - server.tasks.now()), timedelta())


def retry(server: SessionServer, caller: Caller, position: ResponsePosition, task: Task, *, is_held: bool) -> timedelta:
    """Return when the stream should be resumed: at once where it is held then, unless the tenant may hold no more."""
    following = pacing(server, caller, position, task)
    after = RETRY if following.hold else max(following.after, RETRY)
    return after if is_held else max(after, WAIT_ENDS)


def keepalive(
    server: SessionServer, caller: Caller, position: ResponsePosition, task: Task, after: timedelta
) -> tuple[Progress | None, ResponsePosition]:
    """Return the last progress for a client that would time out before the stream is resumed, and the position.

    Progress has to increase with each notification (2025-11-25, Progress), on whichever stream it comes: it does so by
    the smallest numbers that JSON carries, one for each second, so that nobody takes the work to be any further.
    """
    now = server.tasks.now()
    if now + min(after, KEEPALIVE_INTERVAL) <= _silence_ends(position):
        return None, position
    sent = replace(position, progress_sent_at=now.timestamp())
    seconds = max(int((now - task.created_at).total_seconds()), 1)
    known = task.progress or NONE_YET
    least = -math.inf if position.reported_progress is None else math.nextafter(position.reported_progress, math.inf)
    progress = max(least, known.progress + seconds * math.ulp(known.progress))
    if progress == math.inf:
        # JSON has no such number, and none that is greater than the last one.
        return None, sent
    if not is_higher(server, caller, position, task, progress):
        # Another stream of the session has just repeated it.
        return None, sent
    total = None if known.total is None or known.total < progress else known.total
    return replace(known, progress=progress, total=total), replace(sent, reported_progress=progress)


def is_higher(server: SessionServer, caller: Caller, position: ResponsePosition, task: Task, progress: float) -> bool:
    """Return whether progress is higher than all that was sent of the task; it counts as sent then.

    The progress of a plain call goes to its own stream, and that of any other to any one stream of the session.
    """
    listener = stream_name(position.session, position.request_id) if position.plain else position.session
    claimed = replace(task, version=_place(progress))
    return server.tasks.claim_notification(caller, claimed, f"{listener}: progress")


def _place(number: float) -> int:
    """Return the place of a number among all that JSON has, from the lowest to the highest: all are 1 or more."""
    (bits,) = struct.unpack(">q", struct.pack(">d", number))
    return int(bits) + 2**63 if bits >= 0 else -int(bits)


def _silence_ends(position: ResponsePosition) -> datetime:
    return datetime.fromtimestamp(position.progress_sent_at or position.began_at, UTC) + KEEPALIVE_INTERVAL
