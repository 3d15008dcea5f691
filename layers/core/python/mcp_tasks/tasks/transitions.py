"""The task state machine: one table, one function.

Rule 1: every legal move is a row below.  No other module compares states to decide what may happen next.

Rule 2: the machine knows no protocol revision.  Where two revisions disagree (what cancelling a finished task
means, say) the machine raises `IllegalMove` and each revision decides how to word it.

Rule 3: `advance` is pure.  Numbering versions, saving, and what must be done in the world because a task moved
are the business of whoever calls it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.tasks.errors import IllegalMove
from mcp_tasks.tasks.events import Answered, Asked, Cancelled, Event, Noted, Parked, Progressed, Resumed, Settled
from mcp_tasks.tasks.model import Ending, InputRequest, Returned, State, Task

TRANSITIONS: Mapping[State, Mapping[type[Event], State]] = {
    State.WORKING: {
        Progressed: State.WORKING,
        Noted: State.WORKING,
        Asked: State.WORKING,
        Parked: State.INPUT_REQUIRED,
        Settled: State.FINISHED,
        Cancelled: State.CANCELLED,
    },
    State.INPUT_REQUIRED: {
        Parked: State.INPUT_REQUIRED,
        Answered: State.INPUT_REQUIRED,
        Resumed: State.WORKING,
        Settled: State.FINISHED,
        Cancelled: State.CANCELLED,
    },
    State.FINISHED: {},
    State.CANCELLED: {},
}

EARLIER_TOKENS = 4
"""How many attempts to park may be late; Step Functions makes five at a time."""

FINAL = frozenset(state for state, row in TRANSITIONS.items() if not row)


def is_final(task: Task) -> bool:
    """Tell whether nothing can happen to the task any more."""
    return task.state in FINAL


def advance(task: Task, event: Event, *, now: datetime) -> Task:
    """Return the task as it is after the event; raises `IllegalMove` where the table has no row."""
    try:
        state = TRANSITIONS[task.state][type(event)]
    except KeyError:
        raise IllegalMove(f"a task that is {task.state} cannot be {type(event).__name__.lower()}") from None
    at = max(now, task.updated_at)
    return replace(task, state=state, updated_at=at, **_consequences(task, event, at))


def _consequences(task: Task, event: Event, at: datetime) -> dict[str, Any]:
    match event:
        case Progressed(progress=progress):
            return {"progress": progress, "note": progress.message or task.note}
        case Noted(note=note):
            return {"note": note[:MAX_LINE_CHARACTERS]}
        case Asked(input_requests=input_requests):
            asked = tuple(dict.fromkeys((*task.requested, *(each.key for each in input_requests))))
            return {"input_requests": input_requests, "requested": asked, "requested_at": at}
        case Parked(task_token=token):
            earlier = task.tokens[-EARLIER_TOKENS:] if task.state is State.INPUT_REQUIRED else ()
            return {"task_token": token, "earlier_tokens": earlier, "note": _wish(task.input_requests)}
        case Answered(responses=responses):
            left = tuple(each for each in task.input_requests if each.key not in responses)
            return {"input_requests": left, "note": _wish(left)}
        case Resumed():
            return {"input_requests": (), "resumed_at": at, "note": None}
        case Settled(note=note) | Cancelled(note=note):
            return {"ending": _ending(event), "note": note, "input_requests": ()}


def _wish(input_requests: tuple[InputRequest, ...]) -> str:
    """Say in a line what the work waits for."""
    asked = next(
        (each.params["message"] for each in input_requests if "message" in each.params), "An answer is needed."
    )
    return str(asked)[:MAX_LINE_CHARACTERS]


def _ending(event: Settled | Cancelled) -> Ending | None:
    match event:
        case Settled(outcome=Returned(is_error=False)):
            return Ending.RETURNED
        case Settled(outcome=Returned()):
            return Ending.RETURNED_ERROR
        case Settled():
            return Ending.FAULTED
        case _:
            return None
