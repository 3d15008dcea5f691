"""Which change of a stored task is which event, as operators are told it and auditors keep it; pure, no I/O.

    event            the stored task                                            with
    task.created     is new                                                     client, actor
    task.queued      waits for a slot
    task.started     has its turn, the first time or again                      queued_ms, again
    task.asked       has input requests that were not open before               requests, shown, running_ms
    task.answered    has some less, and goes on                                 shown, timed_out, left, suspended_ms
    task.sleeping    wakes later than it was to wake before                     running_ms
    task.finished    has an outcome                                             outcome, duration_ms
    task.cancelled   has ended without one                                      duration_ms
    task.expired     is deleted, and had not ended                              duration_ms

Every other write leaves a task where it is: progress, words, a task token, a lease.  `shown` are hashes of what clients
were shown of the input requests.  `queued_ms`, `running_ms` and `suspended_ms`, asleep included, are how long the phase
took that is over; the last three events have that of the phase in which the task was.  A change that the table's stream
delivers twice yields the same events again: a reader takes those of one task, version and name for one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from mcp_tasks.audit import acting
from mcp_tasks.tasks.documents import document_of_request
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON, InputRequest, State, Task
from mcp_tasks.tasks.transitions import is_final

CREATED: Final = "task.created"
QUEUED: Final = "task.queued"
STARTED: Final = "task.started"
ASKED: Final = "task.asked"
ANSWERED: Final = "task.answered"
SLEEPING: Final = "task.sleeping"
FINISHED: Final = "task.finished"
CANCELLED: Final = "task.cancelled"
EXPIRED: Final = "task.expired"

ENDS: Final = {State.FINISHED: FINISHED, State.CANCELLED: CANCELLED}


class TaskEvent(NamedTuple):
    """What happened to a task by one write, and `at` what time; the task is as it was stored last."""

    name: str
    task: Task
    at: datetime
    details: Mapping[str, JSON]

    @property
    def fields(self) -> Mapping[str, JSON]:
        """What a record says of the event: nothing that a client, a tool or a person wrote."""
        known = {"tool_version": self.task.tool_version, "trace": self.task.trace, "plan": self.task.plan}
        return {
            "tool": self.task.tool,
            **{name: value for name, value in known.items() if value is not None},
            "task": self.task.id,
            "version": self.task.version,
            "at": self.at.isoformat(),
            **self.details,
        }


def events_of(before: Task | None, after: Task | None) -> Sequence[TaskEvent]:
    """Return the events of one change of a stored task: `before` is None where it is new, `after` where it is gone."""
    if after is None:
        return [] if before is None or is_final(before) else [_expired(before)]
    if before is not None and before.version == after.version:
        return []
    return [TaskEvent(name, after, after.updated_at, details) for name, details in _changes(before, after)]


def _changes(before: Task | None, after: Task) -> Iterator[tuple[str, Mapping[str, JSON]]]:
    if before is None:
        yield CREATED, acting(after.client_id, after.actor)
    elif is_final(after):
        if not is_final(before):
            outcome = {} if after.outcome_kind is None else {"outcome": after.outcome_kind.name.lower()}
            yield ENDS[after.state], {**outcome, **_phase(before, after.updated_at), **_whole(after, after.updated_at)}
        return
    yield from _input(before, after)
    if after.state is State.QUEUED and (before is None or before.state is not State.QUEUED):
        yield QUEUED, _sleep(before, after)
    if _got_turn(before, after):
        yield STARTED, {**_sleep(before, after), **_queue(before, after), "again": after.was_begun}
    if before is not None and after.wakes_at is not None and after.wakes_at != before.wakes_at:
        yield SLEEPING, _phase(before, after.updated_at)


def _input(before: Task | None, after: Task) -> Iterator[tuple[str, Mapping[str, JSON]]]:
    """Yield what happened to the input requests of a task that has not ended."""
    known = () if before is None else before.input_requests
    if answered := _without(known, after.input_requests):
        assert before is not None
        over = {} if after.input_requests else _phase(before, after.updated_at)
        late = sum(before.deadline(each) <= after.updated_at for each in answered)
        yield ANSWERED, {**_shown(answered), "timed_out": late, "left": len(after.input_requests), **over}
    if asked := _without(after.input_requests, known):
        running = {} if before is None else _phase(before, after.updated_at)
        yield ASKED, {"requests": len(asked), **_shown(asked), **running}


def _got_turn(before: Task | None, after: Task) -> bool:
    """Return whether the task got a slot, or began to run without one."""
    if after.state is not State.WORKING or after.started_at is None:
        return False
    if before is None or before.state is not State.WORKING:
        return True
    # It woke, and one was free.
    return before.holding.slot is None and after.holding.slot is not None


def _expired(task: Task) -> TaskEvent:
    at = task.expires_at
    return TaskEvent(EXPIRED, task, at, {**_phase(task, at), **_whole(task, at)})


def _phase(task: Task, at: datetime) -> Mapping[str, JSON]:
    """Return how long the phase in which a live task is has lasted."""
    if task.state is State.QUEUED:
        return {"queued_ms": _milliseconds(_last(task.created_at, task.resumed_at, task.wakes_at), at)}
    if task.input_requests:
        return {"suspended_ms": _milliseconds(task.requested_at or task.updated_at, at)}
    if _sleeps(task, at):
        # Nothing is written while it sleeps.
        return {"suspended_ms": _milliseconds(task.updated_at, at)}
    began = _last(task.created_at, task.resumed_at, task.wakes_at, task.started_at)
    return {"running_ms": _milliseconds(began, at)}


def _queue(before: Task | None, after: Task) -> Mapping[str, JSON]:
    if before is None or before.state is not State.QUEUED:
        return {"queued_ms": 0}
    return _phase(before, after.updated_at)


def _sleep(before: Task | None, after: Task) -> Mapping[str, JSON]:
    """Return how long a task slept that is no longer asleep; an answer says how long one was suspended for it."""
    if before is None or before.input_requests or not _sleeps(before, after.updated_at):
        return {}
    return _phase(before, after.updated_at)


def _sleeps(task: Task, at: datetime) -> bool:
    return task.state is State.WORKING and task.wakes_at is not None and (task.wakes_at > at or task.lacks_slot)


def _whole(task: Task, at: datetime) -> Mapping[str, JSON]:
    return {"duration_ms": _milliseconds(task.created_at, at)}


def _last(*moments: datetime | None) -> datetime:
    return max(filter(None, moments))


def _milliseconds(since: datetime, until: datetime) -> int:
    return max(until - since, timedelta()) // timedelta(milliseconds=1)


def _without(these: Sequence[InputRequest], those: Sequence[InputRequest]) -> Sequence[InputRequest]:
    keys = {each.key for each in those}
    return [each for each in these if each.key not in keys]


def _shown(input_requests: Sequence[InputRequest]) -> Mapping[str, JSON]:
    """Return the hashes of input requests as clients are shown them: of the same request it is the same."""
    documents = (json.dumps(document_of_request(each), sort_keys=True) for each in input_requests)
    return {"shown": [hashed(each) for each in documents]}
