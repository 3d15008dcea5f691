"""Bugs of who is served: models by the built-in tools, and whoever has what is another's."""

from collections.abc import Callable
from typing import Any, Final

from mcp_tasks.engine import task_tools
from mcp_tasks.security.signing import Signer
from mcp_tasks.wire.rev_2025_11_25.adapters import dynamodb
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, Sessions
from mcp_tasks.wire.rev_2026_07_28 import tool_methods
from tests.simulation.planted.plant import DAY, Change, Plant, always
from tests.simulation.traits import TABLE


def _of_anybody(self: MemorySessions, owner_key: str, session_id: str) -> Session | None:
    return next((each for (_, named), each in self._sessions.items() if named == session_id), None)


def _for_anybody(does: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, owner_key, **named: does(*values, owner_key="anybody", **named)


def _but_the_last(listed: Callable[..., Any]) -> Callable[..., Any]:
    return lambda shown, *more: listed(shown[:-1], *more)


def _later(expiry_attributes: Callable[..., Any]) -> Callable[..., Any]:
    return lambda until: expiry_attributes(until + 400 * DAY)


CALLERS: Final = (
    Plant("sessions go on for ever", Sessions, "end", always(None), "has ended, and goes on"),
    Plant("a model is told that every task works", task_tools, "_status", always("working"), "is said to be"),
    Plant("a model's list lacks the last task", task_tools, "_listed", _but_the_last, "not listed"),
    Plant(
        "a model is given a handle for ever",
        tool_methods,
        "outcome_of",
        lambda right: lambda tasks, caller, task: task_tools.task_handle(task),
        "its result is not given|should wait until",
    ),
    Plant("a session is anybody's", MemorySessions, "load", lambda right: _of_anybody, "is served by what is another"),
    Plant(
        "what is signed is signed for anybody",
        Signer,
        "verify",
        _for_anybody,
        "is served by what is another.s|a requestState is accepted",
        beside=(Change(Signer, "sign", _for_anybody),),
    ),
    Plant("sessions are kept for a year", dynamodb, "expiry_attributes", _later, "is kept for ever", TABLE),
)
