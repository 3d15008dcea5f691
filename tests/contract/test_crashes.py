"""Every sequence of AWS calls, interrupted right before and after each of them, and then reconciled."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import cycle, product
from typing import Any

import pytest

from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final
from tests.cloud import Cloud
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.contract.crash_paths import LARGE, PATHS, started, stored
from tests.contract.process import READS, TRIED, Crash, Fuse, Path, Process, When
from tests.kit import ADA, BOB, FixedClock
from tests.slow import one_of

ALL_RECONCILERS = "sweep work updates stream"
"""All processes that reconcile, whether needed or not; the stream delivers everything from its beginning."""


def cuts() -> Iterator[Any]:
    """Yield every place where a process may crash, and the process that reconciles then.

    At every third call that is no read, one of them is not slow.
    """
    turn = cycle(TRIED)
    paths = [(kind, name, path) for kind in PATHS for name, path in PATHS[kind].items()]
    for machine, name, path in paths:
        for number, operation in enumerate(path.calls):
            tried = operation not in READS and next(turn)
            for (when, reconciliation), marks in one_of(product(("before", "after"), path.reconciliation), number):
                marks = marks if tried else (pytest.mark.slow,)
                place = f"{machine}: {name}: {when} {number} {operation}, then {reconciliation}"
                yield pytest.param(machine, path, number, when, reconciliation, id=place, marks=marks)


@pytest.fixture(params=PATHS)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def environment(aws: Cloud, clock: FixedClock, machine: str) -> AwsEnvironment:
    """An environment in which another caller of the tenant has a task too, so that wrong counts show."""
    environment = AwsEnvironment.of(aws, clock, replace(repeat, machine=machine))
    tasks = environment.process().tasks
    task = tasks.start(BOB, environment.tool, {"text": "hello"}, ttl=timedelta(days=7))
    tasks.ports.backlog.postpone(BOB.owner_key, task.id, task.expires_at)
    return environment


@pytest.mark.parametrize(("machine", "name"), [(machine, name) for machine in PATHS for name in PATHS[machine]])
def test_a_path_makes_these_calls(environment: AwsEnvironment, machine: str, name: str) -> None:
    path, fuse = PATHS[machine][name], Fuse()
    path.does(environment, environment.process(fuse), path.given(environment))

    assert fuse.calls == path.calls

    environment.deliver_stream(environment.process())
    check(environment)


@pytest.mark.parametrize(("machine", "path", "number", "when", "reconciliation"), list(cuts()))
def test_a_process_may_die_anywhere(
    environment: AwsEnvironment, path: Path[AwsEnvironment], number: int, when: When, reconciliation: str
) -> None:
    task = path.given(environment)
    with pytest.raises(Crash):
        path.does(environment, environment.process(Fuse(number=number, when=when)), task)

    reconcile(environment, reconciliation)
    check(environment)

    reconcile(environment, ALL_RECONCILERS)
    check(environment)
    assert all(is_final(task) for _, task in environment.stored())


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_client_that_asks_again_under_its_key_gets_the_one_task(
    environment: AwsEnvironment, number: int, when: When
) -> None:
    def ask(process: Process) -> Task:
        return process.tasks.start(ADA, environment.tool, LARGE, key="order 7")

    with pytest.raises(Crash):
        ask(environment.process(Fuse(number=number, when=when)))
    task = ask(environment.process())

    assert stored(environment) == task
    assert environment.executions()[task.id] == "RUNNING"
    check(environment)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_call_that_is_repeated_after_a_crash_joins_the_one_task(
    environment: AwsEnvironment, number: int, when: When
) -> None:
    joinable = replace(environment.tool, tasks="allowed", join_within=timedelta(seconds=30))

    def call(process: Process) -> Task:
        return process.tasks.start(ADA, joinable, LARGE, joins=True)

    with pytest.raises(Crash):
        call(environment.process(Fuse(number=number, when=when)))
    task = call(environment.process())

    assert stored(environment) == task == call(environment.process())
    assert environment.executions()[task.id] == "RUNNING"
    check(environment)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_large_step_is_recorded_by_the_next_run_where_the_first_one_died(
    environment: AwsEnvironment, number: int, when: When
) -> None:
    task, fuse = started(environment), Fuse(number=number, when=when)
    with pytest.raises(Crash):
        environment.process(fuse).tasks.record_step(ADA.owner_key, task, "draw", LARGE)

    assert ["put_object", "put_item"][: number + 1] == fuse.calls
    assert environment.process().tasks.record_step(ADA.owner_key, task, "draw", {**LARGE}) == LARGE
    assert environment.process().tasks.recorded_step(ADA.owner_key, task.id, "draw") == (LARGE,)


def test_no_call_may_swallow_the_end_of_its_process(environment: AwsEnvironment) -> None:
    with pytest.raises(Crash):
        environment.process(Fuse(number=0)).tasks.start(ADA, environment.tool, LARGE)
    assert not issubclass(Crash, Exception | ExecutorUnavailable)


def reconcile(environment: AwsEnvironment, names: str) -> None:
    """Let these do their part, each in a process of its own."""
    parts = {
        "stream": environment.deliver_stream,
        "updates": environment.deliver_status_changes,
        "sweep": environment.sweep,
        "work": environment.work,
    }
    for name in names.split():
        parts[name](environment.process())


def check(environment: AwsEnvironment) -> None:
    """Demand what must hold whenever all is reconciled."""
    executions, found = environment.executions(), environment.stored()
    tasks = {task.id: task for _, task in found}
    live = {task_id for task_id, task in tasks.items() if not is_final(task)}

    assert {task_id for task_id in live if executions.get(task_id) != "RUNNING"} == set(), "stuck"
    assert environment.counted() == len(live), "miscounted"
    for name, status in executions.items():
        wanted = name in tasks and tasks[name].state is not State.CANCELLED
        assert wanted or status != "RUNNING", "nobody wants this work"
    for owner_key, task in found:
        if task.state is State.FINISHED:
            environment.process().tasks.ports.tasks.outcome(owner_key, task.id)
