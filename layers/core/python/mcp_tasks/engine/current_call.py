"""What is to be said of the request that a thread serves: in the one record that is logged of it, and to auditors.

Audit records say what happened in the request; the other one says how it went, and names no subject.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

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
