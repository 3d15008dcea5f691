"""Every AWS call of a task that requests input, interrupted right before and after it, and reconciled."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import cycle, product
from typing import Any

import pytest

from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.tasks.model import InputRequest, InputResponse, Task
from tests.cloud import Cloud
from tests.contract.process import READS, TRIED, Crash, Fuse, Path, Process, When
from tests.contract.scenario import ALL_RECONCILERS, ANSWERS, CLIENT_CAPABILITIES, NAME, ROOTS, SESSION, Scenario
from tests.contract.starting_points import (
    answered_in_part,
    answered_meanwhile,
    answered_only,
    answered_only_a_minute_ago,
    cancelled_only,
    expired_and_deleted,
    out_of_time,
    out_of_time_in_part,
    suspended_again,
    unanswered,
)
from tests.kit import ADA, FixedClock
from tests.slow import one_of

SHARDS = ["query"] * 4
COUNTERS = ["query", "get_item"]
"""Of an owner and its tenant: whether they can be read is looked at before the first check of one of its tasks."""
WRITE = "transact_write_items"
LOAD = ["get_item", "get_item", "query"]
KEY = ["get_item"]
"""A process reads the key of tickets once; the first one makes it."""
LONG = InputResponse(result={"action": "accept", "content": {"name": "x" * MAX_INLINE_CHARACTERS}})
LATE = InputResponse(result={"action": "decline"})


def answer(**responses: InputResponse) -> Callable[[Scenario, Process, Task], object]:
    return lambda scenario, process, task: process.suspension.answer(ADA, task.id, responses)


def changed(scenario: Scenario, process: Process, _: Task) -> None:
    """Reconcile the last change of the task, as the stream delivers it."""
    (history,) = scenario.environment.histories()
    process.reconciler.changed(ADA.owner_key, *history[-2:])


def step(scenario: Scenario, process: Process, _: Task) -> None:
    scenario.step(process)


def begin(drawn: str | None = None, name: InputResponse = NAME) -> Callable[[Scenario, Process, None], object]:
    """Start the task of a call that recorded a step and got one response, and makes another input request."""
    roots = InputRequest(key="roots", method="roots/list", params={}, timeout=timedelta(minutes=10))
    initial_state = InitialState(
        requested=("name", "roots"), input_requests=(roots,), steps={"draw": drawn}, responses={"name": name}
    )
    return lambda scenario, process, _: process.tasks.start(
        ADA,
        scenario.order,
        {"minutes": 10},
        session=SESSION,
        client_capabilities=CLIENT_CAPABILITIES,
        initial_state=initial_state,
    )


PATHS: dict[str, Path[Scenario]] = {
    "begin on the way": Path(
        given=lambda scenario: None,
        does=begin(),
        calls=["query", "get_item", *["put_item"] * 3, WRITE, *KEY, "put_item", "start_execution", "update_item"],
        reconciliation=["stream", "sweep"],
    ),
    "begin on the way with much": Path(
        given=lambda scenario: None,
        does=begin("x" * (MAX_INLINE_CHARACTERS + 1), LONG),
        calls=[
            *("query", "get_item", *(["put_object", "put_item"] * 2), "put_item", WRITE),
            *(*KEY, "put_item", "start_execution", "update_item"),
        ],
        reconciliation=["stream", "sweep"],
    ),
    "ask": Path(
        given=Scenario.started,
        does=step,
        calls=[*KEY, *LOAD] + ["get_item"] * 3 + ["put_item", "get_item", WRITE],
        reconciliation=["work"],
    ),
    "suspend": Path(given=Scenario.input_requested, does=step, calls=["get_item", WRITE], reconciliation=["work"]),
    "suspend again": Path(given=suspended_again, does=step, calls=["get_item", WRITE], reconciliation=["work"]),
    "suspend what was answered": Path(
        given=answered_meanwhile, does=step, calls=["get_item", "send_task_success"], reconciliation=["work"]
    ),
    "answer": Path(
        given=Scenario.suspended,
        does=answer(**ANSWERS),
        calls=["get_item", WRITE, "send_task_success"],
        reconciliation=["stream", "sweep", "client"],
    ),
    "answer at length": Path(
        given=Scenario.suspended,
        does=answer(**{**ANSWERS, "name": LONG}),
        calls=["get_item", "put_object", WRITE, "send_task_success"],
        reconciliation=["stream", "sweep", "client"],
    ),
    "answer in part": Path(
        given=Scenario.suspended,
        does=answer(name=NAME),
        calls=["get_item", WRITE],
        reconciliation=["", "stream", "client"],
    ),
    "answer the rest": Path(
        given=answered_in_part,
        does=answer(roots=ROOTS),
        calls=["get_item", WRITE, "send_task_success"],
        reconciliation=["stream", "sweep", "client"],
    ),
    "answer once more": Path(
        given=Scenario.answered,
        does=answer(name=LATE),
        calls=["get_item", "send_task_success"],
        reconciliation=["", "stream"],
    ),
    "answer once more in part": Path(
        given=answered_in_part, does=answer(name=LATE), calls=["get_item"], reconciliation=["", "stream"]
    ),
    "give up the last input request": Path(
        given=answered_in_part,
        does=lambda scenario, process, task: process.suspension.give_up(ADA, task.id, "roots"),
        calls=["get_item", WRITE, "send_task_success"],
        reconciliation=["stream", "sweep", "client"],
    ),
    "give up one input request": Path(
        given=Scenario.suspended,
        does=lambda scenario, process, task: process.suspension.give_up(ADA, task.id, "roots"),
        calls=["get_item", WRITE],
        reconciliation=["", "stream", "client"],
    ),
    "go on": Path(
        given=Scenario.answered,
        does=step,
        calls=[*KEY, *LOAD] + ["get_item"] * 3 + [WRITE],
        reconciliation=["work"],
    ),
    "let it go on, by the stream": Path(
        given=answered_only, does=changed, calls=["send_task_success"], reconciliation=["stream", "sweep", "client"]
    ),
    "let it go on, by the sweep": Path(
        given=answered_only_a_minute_ago,
        does=lambda scenario, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, *COUNTERS, "get_item", "update_item", "describe_execution", "send_task_success", "update_item"],
        reconciliation=["stream", "sweep", "client"],
    ),
    "do without one answer": Path(
        given=out_of_time_in_part, does=step, calls=[*KEY, "get_item", WRITE], reconciliation=["work"]
    ),
    "do without the last answer": Path(
        given=out_of_time,
        does=step,
        calls=[*KEY, "get_item", WRITE, "get_item", "query"] + ["get_item"] * 3 + [WRITE],
        reconciliation=["work", "stream work"],
    ),
    "cancel what is asked": Path(
        given=Scenario.input_requested,
        does=lambda scenario, process, task: process.tasks.cancel(ADA, task.id),
        calls=["get_item", WRITE, "stop_execution"],
        reconciliation=["stream", "work"],
    ),
    "cancel what is suspended": Path(
        given=Scenario.suspended,
        does=lambda scenario, process, task: process.tasks.cancel(ADA, task.id),
        calls=["get_item", WRITE, "stop_execution"],
        reconciliation=["stream"],
    ),
    "stop what is suspended, by the stream": Path(
        given=cancelled_only, does=changed, calls=["stop_execution"], reconciliation=["stream"]
    ),
    "expire, by the stream": Path(
        given=expired_and_deleted,
        does=lambda scenario, process, task: process.reconciler.changed(ADA.owner_key, task, None),
        calls=["get_item", WRITE, "stop_execution"],
        reconciliation=["stream"],
    ),
    "give up on the client, by the sweep": Path(
        given=unanswered,
        does=lambda scenario, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, *COUNTERS, "get_item", "update_item", "get_item", WRITE, "stop_execution"],
        reconciliation=["sweep stream", "stream sweep stream"],
    ),
}


def cuts() -> Iterator[Any]:
    """Yield every place where a process may crash, and the process that reconciles then.

    At every third call that is no read, one of them is not slow.
    """
    turn = cycle(TRIED)
    for name, path in PATHS.items():
        for number, operation in enumerate(path.calls):
            tried = operation not in READS and next(turn)
            whens = ("before", "after") if operation not in READS else ("before",)
            for (when, reconciliation), marks in one_of(product(whens, path.reconciliation), number):
                marks = marks if tried else (pytest.mark.slow,)
                place = f"{name}: {when} {number} {operation}, then {reconciliation or 'nobody'}"
                yield pytest.param(path, number, when, reconciliation, id=place, marks=marks)


@pytest.fixture
def scenario(aws: Cloud, clock: FixedClock) -> Scenario:
    return Scenario.on_aws(aws, clock)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_makes_these_calls(scenario: Scenario, name: str) -> None:
    path, fuse = PATHS[name], Fuse()
    path.does(scenario, scenario.environment.process(fuse), path.given(scenario))

    assert fuse.calls == path.calls

    scenario.reconcile("stream")
    scenario.check()


@pytest.mark.parametrize(("path", "number", "when", "reconciliation"), list(cuts()))
def test_a_process_may_die_anywhere(
    scenario: Scenario, path: Path[Scenario], number: int, when: When, reconciliation: str
) -> None:
    task = path.given(scenario)
    with pytest.raises(Crash):
        path.does(scenario, scenario.environment.process(Fuse(number=number, when=when)), task)

    scenario.reconcile(reconciliation)
    scenario.check(crashes=1)

    scenario.reconcile(ALL_RECONCILERS)
    scenario.check(crashes=1)
    scenario.check_over()
