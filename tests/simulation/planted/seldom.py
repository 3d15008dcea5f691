"""Bugs that need two things to meet which seldom do."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.limits.waits import SESSION_LIFETIME
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, Sessions, stream_name
from tests.simulation.planted.plant import Change, Plant


def _running_on(launch: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: TaskOperations, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self.ports.executor.start(owner_key, task, arguments)
        self.ports.backlog.launched(owner_key, task.id)

    return wrong


def _asking_first(attach: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Sessions, caller: Caller, session: Session, request_id: JSON, task_id: str) -> bool:
        awaited = self.awaits_response(caller, session.id, request_id)
        return awaited and (attach(self, caller, session, request_id, task_id) or True)

    return wrong


def _looking_first(cancel: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Sessions, caller: Caller, session: Session, request_id: JSON) -> str | None:
        name = stream_name(session.id, request_id)
        known = self.store.load_stream(caller.owner_key, name)
        self.store.cancel_stream(caller.owner_key, name, self.now() + SESSION_LIFETIME)
        return None if known is None else known.task_id

    return wrong


SELDOM: Final = (
    Plant("what is cancelled as it starts runs on", TaskOperations, "launch", _running_on, "execution is not stopped"),
    Plant(
        "a call is cancelled while its task is attached",
        Sessions,
        "attach_task",
        _asking_first,
        "was given up, and goes on",
        beside=(Change(Sessions, "cancel_request", _looking_first),),
        within=400,
    ),
)
