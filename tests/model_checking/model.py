"""The model: how a task and its execution go on together, by hand, move by move.

`test_model_checking.py` checks the code against it in both directions: the code does nothing else, and all of it.
A task that asks has input requests that its client is not shown yet, since its execution does not wait for them yet.
"""

from typing import NamedTuple

NONE, WORKING, ASKING, SUSPENDED = ("none", "working", "asking", "suspended")
FINISHED, CANCELLED = FINAL = ("finished", "cancelled")
ABSENT, RUN, SUSPEND, WAIT, OVER = ("absent", "run", "suspend", "wait", "over")


class At(NamedTuple):
    """Where a task is, and where its execution."""

    task: str
    execution: str


def model(move: str, at: At) -> set[At]:
    """Return where a task and its execution may be after a move, which was completed."""
    task, execution = at
    match move:
        case "call":
            return {At(WORKING, RUN)}
        case "answer":
            return {At(WORKING, RUN if execution == WAIT else execution)}
        case "cancel" if task in FINAL:
            return {at}
        case "cancel":
            return {At(CANCELLED, ABSENT if execution == ABSENT else OVER)}
        case "sweep":
            return _swept(task, execution)
        case "deliver":
            return _delivered(at)
        case "time passes" | "deploy":
            return {at}
        case _:
            return _stepped(move, task, execution)


def by_mishap(mishap: str, at: At) -> set[At]:
    """Return where they may be after something went wrong by itself."""
    match mishap:
        case "deliver again":
            return model("deliver", at)
        case "run again":
            return {at, *(At(task, at.execution) for task, _ in _ran(at.task))}
        case "stop by hand":
            return {At(at.task, OVER)}
        case _:
            return {at}


def by_death(move: str, at: At) -> set[At]:
    """Return where they may be after a move whose process died: the write may be alone, the effect never is."""
    completed = model(move, at)
    # A run whose input requests have timed out is given that first, and ends then.
    begun = {At(WORKING, RUN)} if (move, at) == (RUN, At(SUSPENDED, RUN)) else set()
    return {at, *completed, *begun, *(At(task, at.execution) for task, _ in completed)}


def _stepped(move: str, task: str, execution: str) -> set[At]:
    """Return what a step of the execution leads to."""
    assert move == execution, f"an execution that is to {execution} does not {move}"
    if move == RUN:
        return _ran(task)
    if move == SUSPEND:
        return {At(SUSPENDED, WAIT)} if task in (ASKING, SUSPENDED) else {At(task, RUN)}
    return {At(task, RUN)}


def _ran(task: str) -> set[At]:
    """Return what a run leads to, which ends a task that was answered, and one that waited too long for that."""
    match task:
        case "working":
            return {At(ASKING, SUSPEND), At(FINISHED, OVER)}
        case "asking":
            return {At(ASKING, SUSPEND)}
        case "suspended":
            return {At(FINISHED, OVER)}
        case _:
            return {At(task, OVER)}


def _swept(task: str, execution: str) -> set[At]:
    """Return what the sweep leads to: it ends tasks that are overdue, or that nothing works on."""
    if task in FINAL:
        return {At(task, execution)}
    if execution == OVER:
        return {At(FINISHED, OVER)}
    if task == SUSPENDED:
        return {At(task, execution)}
    if execution == ABSENT:
        return {At(WORKING, RUN), At(FINISHED, ABSENT)}
    resumed = WAIT if task == ASKING else RUN
    return {At(task, resumed if execution == WAIT else execution), At(FINISHED, OVER)}


def _delivered(at: At) -> set[At]:
    """Return what a record of the stream leads to: the side effect of its write, where that is missing."""
    match at:
        case (_, execution) if execution == OVER:
            return {at}
        case (task, execution) if (task, execution) == (WORKING, ABSENT):
            return {At(WORKING, RUN)}
        case (task, execution) if task == CANCELLED and execution not in (ABSENT, WAIT):
            return {at, At(CANCELLED, OVER)}
        case (task, execution) if task in (WORKING, FINISHED, CANCELLED) and execution == WAIT:
            # One that has ended is resumed by a record of when it had its responses, and then its execution ends.
            stopped = {At(CANCELLED, OVER)} if task == CANCELLED else set()
            return {at, At(task, RUN), *stopped}
        case _:
            return {at}
