"""Which moves the code makes, in the words of the model."""

from collections import defaultdict
from typing import Any

from mcp_tasks.tasks.model import State, Task
from tests.model_checking.laws import broken
from tests.model_checking.model import ABSENT, ASKING, NONE, OVER, SUSPENDED, At, by_death, by_mishap, model
from tests.model_checking.search import search
from tests.model_checking.stage import Stage

MISHAPS = ("deliver again", "run again", "stop by hand", "lose a record of")

Relation = dict[tuple[str, At], set[At]]
"""Where each move led to, by where it began."""


def relation(first: Stage) -> Relation:
    """Return where all moves of one task led to that were completed."""
    completed: Relation = defaultdict(set)

    def note(before: Stage, name: str, after: Stage) -> str | None:
        if (move := move_of(name)) not in MISHAPS and ", " not in move:
            completed[move, where(before)].add(where(after))
        return unlike_model(before, name, after) or broken(before, name, after)

    search(first, note)
    return completed


def unlike_model(before: Stage, name: str, after: Stage) -> str | None:
    """Return where a move of one task led to, if the model does not say so."""
    move, _, dies = move_of(name).partition(", ")
    began, led = where(before), where(after)
    allows = by_mishap if move in MISHAPS else by_death if dies else model
    return None if led in allows(move, began) else f"{name} led from {tuple(began)} to {tuple(led)}"


def move_of(name: str) -> str:
    """Return the name of a move without that of the task."""
    return name.replace(" task0", "")


def where(stage: Stage) -> At:
    """Return where the one task of a stage is."""
    if not stage.store.tasks():
        return At(NONE, ABSENT)
    ((_, task),) = stage.store.tasks().values()
    (place,) = [_place(each) for each in stage.machine.executions.values()] or [ABSENT]
    return At(_where(task), place)


def _where(task: Task) -> str:
    if task.state is State.INPUT_REQUIRED:
        return SUSPENDED
    return ASKING if task.input_requests else str(task.state)


def _place(execution: Any) -> str:
    return str(execution.place.value) if execution.status == "RUNNING" else OVER
