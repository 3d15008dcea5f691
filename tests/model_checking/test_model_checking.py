"""The code does what the model says, and the laws hold, in every state that can be reached; planted bugs are found."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.engine import operations
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.tasks import transitions
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.model import State, Task
from tests.model_checking.laws import broken, check_end
from tests.model_checking.model import model
from tests.model_checking.relation import relation, unlike_model
from tests.model_checking.search import Check, Found, Violated, search
from tests.model_checking.stage import Stage, a_stage


@pytest.fixture(autouse=True)
def _unlogged() -> Iterator[None]:
    """Tens of thousands of processes log what befalls them."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    ("first", "at_least"),
    [
        pytest.param(a_stage(faults=1), 300, id="one fault"),
        pytest.param(a_stage(whiles=2), 1_000, id="time passes"),
        pytest.param(a_stage(faults=1, deploys=1, whiles=2), 30_000, id="both", marks=pytest.mark.slow),
        pytest.param(a_stage(faults=3), 3_000, id="three faults", marks=pytest.mark.slow),
    ],
)
def test_in_every_state_of_a_task_the_laws_hold(first: Stage, at_least: int) -> None:
    found = checked(first, lambda *move: unlike_model(*move) or broken(*move))

    assert len(found.states) > at_least


@pytest.mark.slow
def test_in_every_state_of_two_tasks_with_one_slot_the_laws_hold() -> None:
    found = checked(a_stage(new_tasks=2), broken)

    states = {tuple(task.state for _, task in stage.store.tasks().values()) for stage in found.states.values()}
    assert {(State.WORKING, State.QUEUED), (State.INPUT_REQUIRED, State.INPUT_REQUIRED)} <= states


@pytest.mark.slow
def test_the_code_makes_all_moves_of_the_model() -> None:
    completed = relation(a_stage(faults=2))
    for seen, found in relation(a_stage(faults=1, deploys=1, whiles=2)).items():
        completed[seen] |= found

    assert completed == {(move, at): model(move, at) for move, at in completed}


def _never_refused(advance: Callable[..., Task]) -> Callable[..., Task]:
    def wrong(task: Task, event: Any, **named: Any) -> Task:
        state = State.WORKING if transitions.is_final(task) else task.state
        return advance(replace(task, state=state), event, **named)

    return wrong


def _slot_kept(changes: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def wrong(task: Task, event: Any, at: Any) -> dict[str, Any]:
        kept = {"holding": task.holding} if isinstance(event, CancelRequested) else {}
        return changes(task, event, at) | kept

    return wrong


PLANTED: Mapping[str, tuple[Any, str, Callable[[Any], Any], str]] = {
    "a task that was finished is cancelled": (
        operations,
        "advance",
        _never_refused,
        "cancel task0 led from .'(finished|cancelled)'",
    ),
    "a response that came before the suspension is forgotten": (
        Suspension,
        "remaining",
        lambda remaining: lambda self, task: remaining(self, task) or timedelta(),
        "run task0 led from",
    ),
    "Step Functions is not told of a cancellation": (
        StepFunctionsExecutor,
        "stop",
        lambda stop: lambda self, task, reason: None,
        "cancel task0 led from",
    ),
    "input requests are open forever": (
        Suspension,
        "expire",
        lambda expire: lambda self, owner_key, task_id: self.tasks.read(owner_key, task_id),
        "run task0 led from|it does not end",
    ),
    "a cancelled task keeps its slot": (
        transitions,
        "_changes",
        _slot_kept,
        "something is kept",
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, make, found = PLANTED[bug]
    monkeypatch.setattr(place, name, make(getattr(place, name)))

    with pytest.raises(Violated, match=found):
        checked(a_stage(faults=1, whiles=1), lambda *move: unlike_model(*move) or broken(*move))


def checked(first: Stage, check: Check) -> Found:
    """Return all states that can come of a stage; raises `Violated` where a law does not hold."""
    found = search(first, check)
    ending: set[str] = set()
    for key, stage in found.states.items():
        try:
            check_end(stage, ending)
        except Violated as violated:
            raise Violated(f"{violated}, after {found.path(key)}") from None
    return found
