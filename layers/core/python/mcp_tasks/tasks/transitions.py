"""Which event may happen to a task in which state, and what the task is afterwards: one table, one function.

Every legal transition is a row of `TRANSITIONS`; no other module compares states to decide what may happen next.  Where
the protocol revisions disagree (cancelling a finished task, say), `advance` raises `IllegalTransition`, and each
revision renders that in its own way.  `advance` is pure: `engine/operations.py` raises the version, writes the task and
causes the side effects.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.limits.waits import MAX_EARLIER_TOKENS
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.events import (
    CancelRequested,
    EndExpected,
    Event,
    Finished,
    InputReceived,
    InputRequested,
    Progressed,
    Resumed,
    SleepStarted,
    SlotNeeded,
    Started,
    StatusReported,
    Suspended,
)
from mcp_tasks.tasks.model import Holding, InputRequest, OutcomeKind, Returned, State, Task

TRANSITIONS: Mapping[State, Mapping[type[Event], State]] = {
    State.QUEUED: {
        Started: State.WORKING,  # it has its turn
        Suspended: State.QUEUED,  # an execution that found no slot waits with this task token
        Finished: State.FINISHED,
        CancelRequested: State.CANCELLED,
    },
    State.WORKING: {
        SlotNeeded: State.QUEUED,
        Progressed: State.WORKING,
        StatusReported: State.WORKING,
        EndExpected: State.WORKING,
        InputRequested: State.WORKING,  # a run ended; clients see its input requests once the execution is suspended
        SleepStarted: State.WORKING,
        Suspended: State.INPUT_REQUIRED,
        Finished: State.FINISHED,
        CancelRequested: State.CANCELLED,
    },
    State.INPUT_REQUIRED: {
        Suspended: State.INPUT_REQUIRED,  # Step Functions tried again, with another task token
        InputReceived: State.INPUT_REQUIRED,  # other responses are missing
        Resumed: State.QUEUED,  # none is missing: the tool runs again as soon as there is a slot
        Finished: State.FINISHED,
        CancelRequested: State.CANCELLED,
    },
    State.FINISHED: {},
    State.CANCELLED: {},
}

FINAL = frozenset(state for state, row in TRANSITIONS.items() if not row)


def is_final(task: Task) -> bool:
    """Return whether the task has ended, so that no event can happen to it."""
    return task.state in FINAL


def advance(task: Task, event: Event, *, now: datetime) -> Task:
    """Return the task as it is after the event; raises `IllegalTransition` where the table has no row for it."""
    try:
        state = TRANSITIONS[task.state][type(event)]
    except KeyError:
        raise IllegalTransition(
            f"the event {type(event).__name__} cannot happen to a task that is {task.state}"
        ) from None
    # The clock of the process that wrote the task before may be ahead of this one's.
    at = max(now, task.updated_at)
    return replace(task, state=state, updated_at=at, **_changes(task, event, at))


def _changes(task: Task, event: Event, at: datetime) -> dict[str, Any]:
    """Return the fields, beside the state, that the event gives new values."""
    match event:
        case Progressed(progress=progress):
            return {"progress": progress, "status_message": progress.message or task.status_message}
        case StatusReported(status_message=status_message):
            return {"status_message": status_message[:MAX_LINE_CHARACTERS]}
        case EndExpected(expected_at=expected_at):
            return {"expected_at": expected_at}
        case Finished(status_message=status_message) | CancelRequested(status_message=status_message):
            ended = {"input_requests": (), "wakes_at": None, "holding": Holding()}
            return {"outcome_kind": _outcome_kind(event), "status_message": status_message, **ended}
        case SlotNeeded():
            return {}
        case Started(slot=slot):
            return {"started_at": at, "holding": replace(task.holding, slot=slot, queue=None)}
        case _:
            return _changes_suspending(task, event, at)


def _changes_suspending(
    task: Task, event: InputRequested | SleepStarted | Suspended | InputReceived | Resumed, at: datetime
) -> dict[str, Any]:
    match event:
        case InputRequested(input_requests=input_requests):
            requested = tuple(dict.fromkeys((*task.requested, *(each.key for each in input_requests))))
            held = replace(task.holding, slot=None, suspended=True)
            return {"input_requests": input_requests, "requested": requested, "requested_at": at, "holding": held}
        case SleepStarted(wakes_at=wakes_at):
            # A run that was overtaken by another one may come with an earlier sleep.
            latest = max(wakes_at, task.wakes_at or wakes_at)
            return {"wakes_at": latest, "holding": replace(task.holding, slot=None)}
        case Suspended(task_token=token):
            waiting = () if task.state is State.WORKING else task.tokens
            # A token that comes again takes no place from another, which may be the one that is waited for.
            earlier = tuple(each for each in waiting if each != token)[-MAX_EARLIER_TOKENS:]
            message = task.status_message if task.state is State.QUEUED else prompt(task.input_requests)
            return {"task_token": token, "earlier_tokens": earlier, "status_message": message}
        case InputReceived(responses=responses):
            left = tuple(each for each in task.input_requests if each.key not in responses)
            return {"input_requests": left, "status_message": prompt(left)}
        case Resumed():
            held = replace(task.holding, suspended=False)
            return {"input_requests": (), "resumed_at": at, "status_message": None, "holding": held}


def rightful(task: Task) -> Holding:
    """Return what a stored task may hold; what it holds beyond that, release 0.3 left with it when it wrote it."""
    if is_final(task):
        return Holding()
    sleeps = task.wakes_at is not None and task.wakes_at > task.updated_at
    runs = task.state is State.WORKING and not task.input_requests and not sleeps
    waits = task.state is State.QUEUED
    held, asks = task.holding, bool(task.input_requests)
    slot, queue = held.slot if runs else None, held.queue if waits else None
    return replace(held, slot=slot, queue=queue, suspended=held.suspended and asks)


def prompt(input_requests: tuple[InputRequest, ...]) -> str:
    """Return the status message of a suspended task: the message of its first input request that has one."""
    messages = (each.params["message"] for each in input_requests if "message" in each.params)
    return str(next(messages, "An answer is needed."))[:MAX_LINE_CHARACTERS]


def _outcome_kind(event: Finished | CancelRequested) -> OutcomeKind | None:
    match event:
        case Finished(outcome=Returned(is_error=False)):
            return OutcomeKind.RETURNED
        case Finished(outcome=Returned()):
            return OutcomeKind.RETURNED_ERROR
        case Finished():
            return OutcomeKind.FAILED
        case _:
            return None
