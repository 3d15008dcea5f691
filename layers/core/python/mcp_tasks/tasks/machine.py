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

from mcp_tasks.tasks.errors import IllegalMove
from mcp_tasks.tasks.events import Answered, Asked, Cancelled, Event, Progressed, Resumed, Settled
from mcp_tasks.tasks.model import Ending, Outcome, Returned, State, Task

TRANSITIONS: Mapping[State, Mapping[type[Event], State]] = {
    State.WORKING: {
        Progressed: State.WORKING,
        Asked: State.INPUT_REQUIRED,
        Settled: State.FINISHED,
        Cancelled: State.CANCELLED,
    },
    State.INPUT_REQUIRED: {
        Answered: State.INPUT_REQUIRED,
        Resumed: State.WORKING,
        Settled: State.FINISHED,
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
    """Return the task as it is after the event; raises `IllegalMove` where the table has no row."""
    try:
        state = TRANSITIONS[task.state][type(event)]
    except KeyError:
        raise IllegalMove(f"a task that is {task.state} cannot be {type(event).__name__.lower()}") from None
    return replace(task, state=state, updated_at=max(now, task.updated_at), **_consequences(task, event))


def _consequences(task: Task, event: Event) -> dict[str, Any]:
    match event:
        case Progressed(progress=progress):
            return {"progress": progress, "note": progress.message or task.note}
        case Asked(questions=questions):
            return {"questions": questions}
        case Answered(key=key):
            return {"questions": tuple(question for question in task.questions if question.key != key)}
        case Resumed():
            return {"questions": ()}
        case Settled(outcome=outcome, note=note):
            return {"ending": _ending(outcome), "note": note, "questions": ()}
        case Cancelled(note=note):
            return {"note": note, "questions": ()}


def _ending(outcome: Outcome) -> Ending:
    match outcome:
        case Returned(is_error=False):
            return Ending.RETURNED
        case Returned():
            return Ending.RETURNED_ERROR
        case _:
            return Ending.FAULTED
