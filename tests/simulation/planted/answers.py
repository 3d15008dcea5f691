"""Bugs of what answers say, beside what a task is and how it ended."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.engine import operations
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.events import Event, Resumed
from mcp_tasks.tasks.model import Outcome, Returned, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import extension, notifications, refusals
from mcp_tasks.wire.rev_2025_11_25 import render, response_stream
from mcp_tasks.wire.rev_2026_07_28 import listen, tool_methods
from tests.simulation.planted.plant import DAY, NONE_SHOWN, Change, Plant, always, backwards, saying, without


def _unexplained(input_request: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values, last_error=None, **named: input_request(*values, **named)


def _unstructured(render: Callable[..., Any]) -> Callable[..., Any]:
    def text(value: Any) -> Any:
        if not isinstance(value, Returned):
            return value
        return replace(value, result={"content": value.result["content"]})

    return lambda *values, **named: render(*map(text, values), **named)


def _created_when_updated(task: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*values: Any) -> dict[str, Any]:
        shown = task(*values)
        return {**shown, "createdAt": shown["lastUpdatedAt"]}

    return wrong


def _of_another_kind(unknown_task: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task_id: str) -> Any:
        error = unknown_task(task_id)
        error.code = -32000
        return error

    return wrong


def _once_ended(is_due: Callable[..., Any]) -> Callable[..., Any]:
    return lambda call, task: is_final(task)


def _twice(granted: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: min(2 * granted(*values), DAY)


def _longer(sleep: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Suspension, owner_key: str, task_id: str, wakes_at: datetime) -> Any:
        return sleep(self, owner_key, task_id, wakes_at + timedelta(minutes=10))

    return wrong


def _one_at_a_time(spend: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, caller, what, count, per_day: spend(self, caller, what, 1, per_day)


def _ending(**changes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what changes some fields of the outcome that a call is answered with."""

    def make(outcome_of: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(tasks: TaskService, caller: Caller, task: Task) -> Outcome:
            ended = outcome_of(tasks, caller, task)
            return replace(ended, **changes) if is_final(task) and isinstance(ended, Returned) else ended

        return wrong

    return make


def _new_when_it_goes_on(advance: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, event: Event, *, now: datetime) -> Task:
        made: Task = advance(task, event, now=now)
        return replace(made, created_at=now) if isinstance(event, Resumed) else made

    return wrong


DONE: Final = _ending(result={"content": [{"type": "text", "text": "Done."}]})
FAILED: Final = _ending(is_error=True)

ANSWERS: Final = (
    Plant(
        "a task that goes on is a new one",
        operations,
        "advance",
        _new_when_it_goes_on,
        "what it was created with has changed|is lost|is there, and",
    ),
    Plant(
        "a task was created when it changed last",
        extension,
        "_task",
        _created_when_updated,
        NONE_SHOWN,
        beside=(Change(render, "task", _created_when_updated),),
    ),
    Plant("all is said to be well", notifications, "status_message", always({"statusMessage": "Well."}), NONE_SHOWN),
    Plant("a task is polled once a day", extension, "_task", saying(pollIntervalMs=86_400_000), "is to be polled"),
    Plant("a session polls once a day", render, "task", saying(pollInterval=86_400_000), "is to be polled"),
    Plant(
        "an input request has no text",
        extension,
        "_params",
        without("message", "requestedSchema"),
        f"{NONE_SHOWN}|no version of its task asks",
    ),
    Plant(
        "a session is sent an input request without its text",
        render,
        "input_request",
        without("message", "requestedSchema"),
        "says what that does not ask",
    ),
    Plant("an input request is of no task", render, "input_request", without("_meta"), "is said to be of None"),
    Plant("a result is of no task", render, "task_outcome", without("_meta"), "is said to be of None"),
    Plant("nobody is told what was wrong", render, "input_request", _unexplained, "is not told what was wrong"),
    Plant(
        "a result is text alone",
        extension,
        "detailed",
        _unstructured,
        "another outcome than",
        beside=(Change(render, "task_outcome", _unstructured), Change(render, "outcome", _unstructured)),
    ),
    Plant("progress has no end", notifications, "progress", without("total"), "progress of .* says"),
    Plant("progress says nothing", notifications, "progress", without("message"), "progress of .* says"),
    Plant("try again in a year", refusals, "described", saying(retryAfter=31_536_000), "try again after"),
    Plant("what is missing is an error of the server", render, "unknown_task", _of_another_kind, "has the code -32000"),
    Plant("who listens is told of ends alone", listen, "_is_due", _once_ended, "is not told that it asks something"),
    Plant(
        "who has listened is to come back in a year",
        listen,
        "_listen_again",
        always(365 * DAY),
        "is to listen again after",
    ),
    Plant("tasks are kept for twice as long", Limits, "granted", _twice, "and was to be for"),
    Plant("a sleep is longer", Suspension, "sleep", _longer, "and wanted to for a shorter time"),
    Plant("a call counts as one byte", TaskService, "_spend", _one_at_a_time, "counts as its bytes_per_day"),
    Plant("tasks are listed the other way round", TaskService, "page", backwards, "listed in another order"),
    Plant(
        "a call that waits is told that it is done",
        tool_methods,
        "outcome_of",
        DONE,
        "another outcome than its task",
        beside=(Change(response_stream, "outcome_of", DONE),),
    ),
    Plant(
        "a call that waits fails",
        tool_methods,
        "outcome_of",
        FAILED,
        "another outcome than its task",
        beside=(Change(response_stream, "outcome_of", FAILED),),
    ),
)
