"""What is to be said of the request that a thread serves: in the one record that is logged of it, and to auditors.

Audit records say what happened in the request; the other one says how it went, and names no subject.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import TypeAlias

from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.model import Task

Happened: TypeAlias = dict[tuple[str, str], Mapping[str, str | bool]]
"""The fields of each event in a request, by its name and what it is about."""


class Noted(dict[str, str | int]):
    """What is noted of a request, and what `happened` in it."""

    def __init__(self) -> None:
        super().__init__()
        self.happened: Happened = {}


_NOTED: ContextVar[Noted | None] = ContextVar("current_call", default=None)


@contextmanager
def noting() -> Iterator[Noted]:
    """Give what is noted of a request until the block ends."""
    noted = Noted()
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note(**fields: str | int) -> None:
    """Note fields of the current request, if there is one; what is noted last counts.

    They are read by operators and kept for weeks: no text of a client or a tool, no token, and no subject.
    """
    if (noted := _NOTED.get()) is not None:
        noted.update(fields)


def note_event(event: str, about: str, **fields: str | bool) -> None:
    """Note what auditors are told: an event about a task or the like; of the same one, what is noted last counts."""
    if (noted := _NOTED.get()) is not None:
        noted.happened[event, about] = fields


def note_read(task_id: str, *, outcome: bool = False) -> None:
    """Note that the current request reads a task of its caller, or its outcome with it."""
    note_event("task.read", task_id, task=task_id, outcome_read=outcome)


def note_refusal(reason: str) -> None:
    """Note that the current request, or one of its batch, is refused."""
    note(reason=reason)
    note_event("request.refused", reason, reason=reason)


@contextmanager
def timing(field: str, now: Callable[[], datetime]) -> Iterator[None]:
    """Add the time that the block takes to a field of the current request, in milliseconds."""
    began = now()
    try:
        yield
    finally:
        if (noted := _NOTED.get()) is not None:
            noted[field] = int(noted.get(field, 0)) + (now() - began) // timedelta(milliseconds=1)


def paused(watch: Watch, at_most: timedelta, clock: Clock) -> Waker:
    """Pause a wait of the current request, and count the time; returns what ended the pause."""
    with timing("waited_ms", clock.now):
        return watch.pause(at_most)


def note_trace(trace: str | None) -> None:
    """Note the id of the trace that the current request belongs to, if it does."""
    if trace is not None:
        note(trace=trace)


def note_task(task: Task) -> None:
    """Note the task that the current request is about, whose trace it belongs to from then on."""
    note(task=task.id)
    note_trace(task.trace)


def note_outcome(outcome: str, task: Task | None) -> None:
    """Note what became of a call, and the task that it is about, if there is one."""
    note(outcome=outcome)
    if task is not None:
        note_task(task)


def current_trace() -> str | None:
    """Return the id of the trace that the current request belongs to, if there is one."""
    noted = _NOTED.get()
    return str(noted["trace"]) if noted and "trace" in noted else None


def note_wait(woken_by: Waker | None, *, in_vain: bool, after: timedelta | None = None) -> None:
    """Note what ended a wait, and how long after what was waited for, unless that was there at once."""
    if woken_by is None:
        return
    note(woken_by=Waker.DEADLINE if in_vain else woken_by)
    if after is not None:
        # By the clocks of two machines.
        note(woken_ms=max(0, after // timedelta(milliseconds=1)))
