"""Bugs of what clients are shown, and of what becomes of what they send, that no client can know of by itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.sweep import Sweep
from mcp_tasks.tasks.approvals import Approval, Audience
from mcp_tasks.tasks.events import InputReceived
from mcp_tasks.tasks.model import Returned, State, Task
from mcp_tasks.tasks.transitions import TRANSITIONS
from mcp_tasks.wire import extension
from mcp_tasks.wire.rev_2025_11_25 import input_requests, render, response_stream
from tests.simulation.planted.plant import Change, Plant, always


def _completed(status: Callable[..., Any]) -> Callable[..., Any]:
    return lambda of: status(of) if of.outcome_kind is None else "completed"


def _emptied(render: Callable[..., Any]) -> Callable[..., Any]:
    def empty(value: Any) -> Any:
        return replace(value, result={"content": []}) if isinstance(value, Returned) else value

    return lambda *values: render(*map(empty, values))


def _without_token(store: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, owner_key, task, *more: store(self, owner_key, replace(task, progress_token=None), *more)


def _begins_with_half(updates: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*values: Any) -> Iterator[Mapping[str, Any]]:
        halves = [2]
        for message in updates(*values):
            params = message["params"]
            if message["method"] == "notifications/progress" and halves:
                yield {**message, "params": {**params, "progress": params["progress"] / halves.pop()}}
            else:
                yield message

    return wrong


def _fails_late(suspend: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Suspension, owner_key: str, task_id: str, token: str) -> Any:
        task = self.tasks.read(owner_key, task_id)
        if token in task.earlier_tokens:
            self.tasks.fail(owner_key, task_id, "The work was broken off.")
            return None
        return suspend(self, owner_key, task_id, token)

    return wrong


def _the_first_alone(self: Approval) -> tuple[tuple[timedelta, Audience], ...]:
    return ((timedelta(), self.audience),)


def _of_progress_alone(claim: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, caller, task, listener: ": progress" in listener and claim(self, caller, task, listener)


def _breaks(go_on: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Sweep, owner_key: str, task: Task, *more: Any) -> Any:
        if task.state is State.INPUT_REQUIRED:
            raise KeyError(task.id)
        return go_on(self, owner_key, task, *more)

    return wrong


SHOWN: Final = (
    Plant(
        "a task that failed is said to have completed",
        extension,
        "_status",
        _completed,
        "is shown as none of its versions was",
        beside=(Change(render, "status", _completed),),
    ),
    Plant(
        "every result is empty",
        extension,
        "detailed",
        _emptied,
        "is given another outcome than is stored",
        beside=(Change(render, "task_outcome", _emptied),),
    ),
    Plant("an answer on a stream is accepted, and not kept", input_requests, "_key", always(None), "and not kept"),
    Plant(
        "the progress token of a call is forgotten",
        TaskService,
        "_store",
        _without_token,
        "has the progress token of another call|was sent",
    ),
    Plant(
        "a task goes on once one of its answers is there",
        TRANSITIONS,
        State.INPUT_REQUIRED,
        lambda row: {**row, InputReceived: State.WORKING},
        "from input_required to working",
    ),
    Plant(
        "a stream that is resumed begins with half of the progress",
        response_stream,
        "_updates",
        _begins_with_half,
        "was sent|progress of",
    ),
    Plant(
        "nobody is notified of a status",
        TaskService,
        "claim_notification",
        _of_progress_alone,
        "is sent on none of its streams",
    ),
    Plant(
        "a token that comes late fails its task",
        Suspension,
        "suspend",
        _fails_late,
        "and nobody broke it off|was interrupted by",
    ),
    Plant(
        "who is to be asked later never is",
        Approval,
        "audiences",
        lambda right: property(_the_first_alone),
        r"task-\d+ asks ",
    ),
    Plant("the check of what waits for input fails", Sweep, "_go_on", _breaks, "a check fails without a fault"),
)
