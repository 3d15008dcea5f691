"""Two concurrent actors on a task that requests input: one acts within the other, between any two of its calls."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest

from mcp_tasks.tasks.errors import TaskError
from mcp_tasks.tasks.model import Task
from tests.cloud import cloud
from tests.contract.actors import (
    OTHERWISE,
    Actor,
    answers,
    cancel,
    everything,
    gives_up,
    late_suspension,
    machine,
    machine_and_client,
    otherwise,
    sweep,
    zombie,
)
from tests.contract.process import Fuse
from tests.contract.scenario import ALL_RECONCILERS, NAME, ROOTS, Scenario
from tests.contract.starting_points import (
    answered_meanwhile,
    answered_only_a_minute_ago,
    out_of_time,
    out_of_time_in_part,
    suspended_again,
    unanswered,
    unanswered_and_timed_out,
)
from tests.kit import FixedClock

RACES: dict[str, tuple[Callable[[Scenario], Task], Actor, Actor]] = {
    "two answers to two input requests": (Scenario.suspended, answers(name=NAME), answers(roots=ROOTS)),
    "two answers to one input request": (Scenario.suspended, everything, otherwise),
    "an answer in part and one in full": (Scenario.suspended, answers(name=OTHERWISE["name"]), everything),
    "an answer, and giving up its input request": (Scenario.suspended, answers(roots=ROOTS), gives_up("roots")),
    "the last answer, and giving up another input request": (Scenario.suspended, everything, gives_up("roots")),
    "giving up an input request, twice": (Scenario.suspended, gives_up("roots"), gives_up("roots")),
    "giving up an input request, and a cancel": (Scenario.suspended, gives_up("roots"), cancel),
    "an answer and a cancel": (Scenario.suspended, everything, cancel),
    "an answer in part and a cancel": (Scenario.suspended, answers(name=NAME), cancel),
    "the last answer and the end of its time": (out_of_time, answers(roots=ROOTS), machine),
    "an answer and the end of another's time": (out_of_time_in_part, answers(name=NAME), machine),
    "an answer too late and the end of its time": (out_of_time_in_part, answers(roots=ROOTS), machine),
    "all answers and the end of the time for one": (out_of_time_in_part, everything, machine),
    "a cancel and the end of the time": (out_of_time, cancel, machine),
    "an answer and a second attempt to suspend": (suspended_again, everything, machine),
    "an answer in part and a second attempt to suspend": (suspended_again, answers(name=NAME), machine),
    "a cancel and suspending": (Scenario.input_requested, cancel, machine),
    "a cancel and a second attempt to suspend": (suspended_again, cancel, machine),
    "suspending, and suspending late": (suspended_again, machine, late_suspension),
    "suspending what was answered, and late": (answered_meanwhile, machine, late_suspension),
    "two runs that ask": (Scenario.started, machine, zombie),
    "a late run, and everything until the answer": (Scenario.started, zombie, machine_and_client),
    "two runs that go on": (Scenario.answered, machine, zombie),
    "a late run that goes on, and everything until the answer": (Scenario.answered, zombie, machine_and_client),
    "a run that asks and a cancel": (Scenario.started, machine, cancel),
    "a run that goes on and a cancel": (Scenario.answered, machine, cancel),
    "a run that goes on, and an answer once more": (Scenario.answered, machine, otherwise),
    "an answer and a sweep": (lambda scenario: a_minute_later(scenario, Scenario.suspended), everything, sweep),
    "an answer once more and a sweep": (answered_only_a_minute_ago, otherwise, sweep),
    "a run and a sweep": (lambda scenario: a_minute_later(scenario, Scenario.started), machine, sweep),
    "an answer and a sweep that gives up": (unanswered, everything, sweep),
    "the work's own end of time and a sweep that gives up": (unanswered_and_timed_out, machine, sweep),
}


def a_minute_later(scenario: Scenario, given: Callable[[Scenario], Task]) -> Task:
    task = given(scenario)
    scenario.environment.clock.advance(timedelta(minutes=1))
    return task


ON_AWS = [
    "two answers to two input requests",
    "an answer and a cancel",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in (
            "the last answer and the end of its time",
            "suspending, and suspending late",
            "a late run, and everything until the answer",
        )
    ),
]
"""The store is one in memory and on DynamoDB, by its contract; so these are to show that nothing else is between."""


@pytest.mark.parametrize("swapped", [False, True], ids=["", "the other way round"])
@pytest.mark.parametrize("name", RACES)
def test_of_two_actors_neither_loses_what_the_other_did(name: str, swapped: bool) -> None:
    place = 0
    while race(Scenario.in_memory(FixedClock()), name, place, swapped=swapped):
        place += 1

    assert place > 0


@pytest.mark.parametrize("name", ON_AWS)
def test_of_two_actors_on_aws_neither_loses_what_the_other_did(name: str) -> None:
    more, place = True, 0
    while more:
        with cloud() as aws:
            more = race(Scenario.on_aws(aws, FixedClock()), name, place)
            place += 1

    assert place > 1


def race(scenario: Scenario, name: str, place: int, *, swapped: bool = False) -> bool:
    """Let the second actor act right before this call of the first; returns whether there was such a call."""
    given, *actors = RACES[name]
    first, second = reversed(actors) if swapped else actors
    task = given(scenario)

    def come_in() -> None:
        with suppress(TaskError):
            second(scenario, scenario.environment.process(), task)

    fuse = Fuse(number=place, burn=come_in)
    with suppress(TaskError):
        first(scenario, scenario.environment.process(fuse), task)
    scenario.reconcile("stream")
    scenario.check(crashes=1)

    scenario.reconcile(ALL_RECONCILERS)
    scenario.check(crashes=1)
    scenario.check_over()
    return len(fuse.calls) > place
