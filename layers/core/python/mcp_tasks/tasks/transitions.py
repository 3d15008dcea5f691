"""The task state machine: one table, one function.

Rule 1: every legal move is a row below.  No other module compares states to decide what may happen next.

Rule 2: the machine knows no protocol revision.  Where two revisions disagree (what cancelling a finished task
means, say) the machine raises `IllegalTransition` and each revision decides how to word it.

Rule 3: `advance` is pure.  Numbering versions, saving, and what must be done in the world because a task moved
are the business of whoever calls it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.limits.waits import MAX_EARLIER_TOKENS
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.events import (
    Cancelled,
    Event,
    Finished,
    InputReceived,
    InputRequested,
    Progressed,
    Resumed,
    StatusReported,
    Suspended,
)
from mcp_tasks.tasks.model import InputRequest, OutcomeKind, Returned, State, Task

TRANSITIONS: Mapping[State, Mapping[type[Event], State]] = {
    State.WORKING: {
        Progressed: State.WORKING,
        StatusReported: State.WORKING,
        InputRequested: State.WORKING,
        Suspended: State.INPUT_REQUIRED,
        Finished: State.FINISHED,
        Cancelled: State.CANCELLED,
    },
    State.INPUT_REQUIRED: {
        Suspended: State.INPUT_REQUIRED,
        InputReceived: State.INPUT_REQUIRED,
        Resumed: State.WORKING,
        Finished: State.FINISHED,
        Cancelled: State.CANCELLED,
    },
    State.FINISHED: {},
    State.CANCELLED: {},
}


FINAL = frozenset(state for state, row in TRANSITIONS.items() if not row)


def is_final(task: Task) -> bool:
    """Tell whether nothing can happen to the task any more."""
    return task.state in FINAL


def advance(task: Task, event: Event, *, now: datetime) -> Task:
    """Return the task as it is after the event; raises `IllegalTransition` where the table has no row."""
    try:
        state = TRANSITIONS[task.state][type(event)]
    except KeyError:
        raise IllegalTransition(f"a task that is {task.state} cannot be {type(event).__name__.lower()}") from None
    at = max(now, task.updated_at)
    return replace(task, state=state, updated_at=at, **_consequences(task, event, at))


def _consequences(task: Task, event: Event, at: datetime) -> dict[str, Any]:
    match event:
        case Progressed(progress=progress):
            return {"progress": progress, "status_message": progress.message or task.status_message}
        case StatusReported(status_message=status_message):
            return {"status_message": status_message[:MAX_LINE_CHARACTERS]}
        case InputRequested(input_requests=input_requests):
            asked = tuple(dict.fromkeys((*task.requested, *(each.key for each in input_requests))))
            return {"input_requests": input_requests, "requested": asked, "requested_at": at}
        case Suspended(task_token=token):
            earlier = task.tokens[-MAX_EARLIER_TOKENS:] if task.state is State.INPUT_REQUIRED else ()
            return {"task_token": token, "earlier_tokens": earlier, "status_message": _prompt(task.input_requests)}
        case InputReceived(responses=responses):
            left = tuple(each for each in task.input_requests if each.key not in responses)
            return {"input_requests": left, "status_message": _prompt(left)}
        case Resumed():
            return {"input_requests": (), "resumed_at": at, "status_message": None}
        case Finished(status_message=status_message) | Cancelled(status_message=status_message):
            return {"outcome_kind": _outcome_kind(event), "status_message": status_message, "input_requests": ()}


def _prompt(input_requests: tuple[InputRequest, ...]) -> str:
    """Say in a line what the work waits for."""
    asked = next(
        (each.params["message"] for each in input_requests if "message" in each.params), "An answer is needed."
    )
    return str(asked)[:MAX_LINE_CHARACTERS]


def _outcome_kind(event: Finished | Cancelled) -> OutcomeKind | None:
    match event:
        case Finished(outcome=Returned(is_error=False)):
            return OutcomeKind.RETURNED
        case Finished(outcome=Returned()):
            return OutcomeKind.RETURNED_ERROR
        case Finished():
            return OutcomeKind.FAILED
        case _:
            return None
