"""Bugs of answers that lack what they must have, or that say what nobody may say."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.engine import approval_answers, approvals, entitlement, pacing, task_host, task_tools
from mcp_tasks.engine.limits import Limits
from mcp_tasks.engine.pacing import PacedTasks
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import Failed, RunLease, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import notifications, refusals
from mcp_tasks.wire.rev_2025_11_25 import render, response_stream
from mcp_tasks.wire.rev_2026_07_28 import listen, task_methods, tool_methods
from mcp_tasks.wire.rev_2026_07_28 import render as render_2026
from tests.simulation.planted.plant import NONE_SHOWN, Change, Plant, always, changing, saying, without


def _as_by_default(granted: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Limits, tool: Tool, requested: timedelta | None) -> Any:
        return granted(self, tool, None)

    return wrong


def _more_than_was_reported(progress: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(token: Any, made: Any) -> Any:
        return progress(token, replace(made, progress=made.progress * 1.25))

    return wrong


def _of_no_task(task_progress: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(of: Task) -> Any:
        shown = task_progress(of)
        return shown and {
            **shown,
            "params": {name: shown["params"][name] for name in shown["params"] if name != "_meta"},
        }

    return wrong


def _breaks(outcome_of: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(tasks: Any, caller: Any, task: Task) -> Any:
        return Failed(code=-32000, message="It broke.") if is_final(task) else outcome_of(tasks, caller, task)

    return wrong


def _without_text(input_required: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*values: Any, **named: Any) -> Any:
        made = input_required(*values, **named)
        asked = {key: {**each, "params": {}} for key, each in made["inputRequests"].items()}
        return {**made, "inputRequests": asked}

    return wrong


def _for_nobody(shown_to: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(caller: Any, task: Task) -> Task:
        shown: Task = shown_to(caller, task)
        return shown if shown is task else replace(shown, status_message="All is well.")

    return wrong


def _as_it_was(renewed: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(task: Task, run: str, now: datetime) -> RunLease | None:
        return renewed(task, run, now) and task.lease

    return wrong


LACKING: Final = (
    Plant(
        "a task is shown without its outcome", task_methods, "detailed", without("result", "error"), "and shown with"
    ),
    Plant("a task is shown without what it asks", task_methods, "detailed", without("inputRequests"), "and shown with"),
    Plant("who listens is told of no outcome", listen, "detailed", without("result", "error"), "and shown with"),
    Plant("who listens is told of no input request", listen, "detailed", without("inputRequests"), "and shown with"),
    Plant("a call asks without a text", render_2026, "input_required", _without_text, "no version of its task asks"),
    Plant(
        "a call that waits ends in an error",
        tool_methods,
        "outcome_of",
        _breaks,
        "another outcome than its task",
        beside=(Change(response_stream, "outcome_of", _breaks),),
    ),
    Plant("the ttl that a client asks for is ignored", Limits, "granted", _as_by_default, "and was to be for"),
    Plant("try again in a day", refusals, "seconds", always(86_400), "try again after"),
    Plant("try again in a second", refusals, "seconds", always(1), "try again after"),
    Plant(
        "progress is more than was reported", notifications, "progress", _more_than_was_reported, "progress of .* says"
    ),
    Plant("progress is of no task", render, "task_progress", _of_no_task, "is said to be of None"),
    Plant("a place in the queue is nothing", pacing, "_place", always("All is well."), NONE_SHOWN),
    Plant("nobody is said to be waited for", entitlement, "shown_to", _for_nobody, NONE_SHOWN),
    Plant(
        "a task is polled at once", PacedTasks, "poll_interval", always(timedelta(milliseconds=1)), "is to be polled"
    ),
    Plant("an inbox has no text", approval_answers, "_shown", saying(message=""), "is said to be {"),
    Plant("no decision is the last", approvals, "Decided", changing(is_over=False), "is said to be accepted by"),
    Plant("more accept than there are", approvals, "Decided", changing(accepted=99), "is said to be accepted by"),
    Plant("a model's list has no tools", task_tools, "_shown", saying(tool=""), "is listed as"),
    Plant("a renewal changes nothing", task_host, "renewed", _as_it_was, "was not renewed"),
)
