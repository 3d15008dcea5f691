"""Every sequence of AWS calls, interrupted right before and after each of them, and then reconciled."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final
from tests.cloud import Cloud
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.contract.process import READS, Crash, Fuse, Path, Process, When
from tests.kit import ADA, BOB, FixedClock
from tests.slow import one_of

LARGE = {"text": "x" * 400_000}
"""Too large for an item, so that arguments and outcome go through S3."""

SHARDS = ["query"] * 4
ROOM = ["query", "get_item"]
"""Before anything is put for a task, that there is room for it is read."""

KEY = ["get_item"]
"""A process reads the key of tickets once."""
FINISH = ["put_item", "transact_write_items"]


def stored(environment: AwsEnvironment) -> Task:
    """Return the caller's task from the store."""
    (task,) = [task for owner_key, task in environment.stored() if owner_key == ADA.owner_key]
    return task


def started(environment: AwsEnvironment) -> Task:
    return environment.process().tasks.start(ADA, repeat, LARGE, ttl=timedelta(hours=1))


def created_only(environment: AwsEnvironment) -> Task:
    """Create a task whose execution was not started."""
    with pytest.raises(Crash):
        environment.process(Fuse(number=5)).tasks.start(ADA, repeat, LARGE, ttl=timedelta(hours=1))
    return stored(environment)


def created_long_ago(environment: AwsEnvironment) -> Task:
    task = created_only(environment)
    environment.clock.advance(timedelta(minutes=1))
    return task


def aborted(environment: AwsEnvironment) -> Task:
    task = started(environment)
    environment.abort(task)
    return task


def aborted_long_ago(environment: AwsEnvironment) -> Task:
    task = aborted(environment)
    environment.clock.advance(timedelta(minutes=1))
    return task


def running_for_too_long(environment: AwsEnvironment) -> Task:
    task = started(environment)
    environment.clock.advance(task.timeout + timedelta(minutes=1))
    return task


def cancelled_only(environment: AwsEnvironment) -> Task:
    """Cancel a task whose execution was not stopped."""
    task = started(environment)
    with pytest.raises(Crash):
        environment.process(Fuse(number=2)).tasks.cancel(ADA, task.id)
    return task


def expired(environment: AwsEnvironment) -> Task:
    task = started(environment)
    environment.clock.advance(timedelta(hours=1))
    return task


def expired_and_deleted(environment: AwsEnvironment) -> Task:
    task = expired(environment)
    environment.forget(task, ADA.owner_key)
    return task


PATHS: dict[str, Path[AwsEnvironment]] = {
    "create": Path(
        given=lambda environment: None,
        does=lambda environment, process, _: process.tasks.start(ADA, repeat, LARGE, ttl=timedelta(hours=1)),
        calls=[*ROOM, "put_object", "put_item", "transact_write_items", *KEY, "start_execution", "update_item"],
        reconciliation=["stream", "sweep"],
    ),
    "finish": Path(
        given=started,
        does=lambda environment, process, task: process.runner.run(ADA.owner_key, task.id),
        calls=[*KEY, "get_item", "get_item", "get_object", "query", "get_item", "put_object", *FINISH],
        reconciliation=["work", "updates", "sweep"],
    ),
    "cancel": Path(
        given=started,
        does=lambda environment, process, task: process.tasks.cancel(ADA, task.id),
        calls=["get_item", "transact_write_items", "stop_execution"],
        reconciliation=["stream"],
    ),
    "expire, by the stream": Path(
        given=expired_and_deleted,
        does=lambda environment, process, task: process.reconciler.changed(ADA.owner_key, task, None),
        calls=["transact_write_items", "stop_execution", "query"],
        reconciliation=["stream"],
    ),
    "expire, by the sweep": Path(
        given=expired,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, "get_item", "delete_item"],
        reconciliation=["sweep stream"],
    ),
    "EventBridge": Path(
        given=aborted,
        does=lambda environment, process, task: process.execution_outcomes.ended(ADA.owner_key, task.id, "ABORTED"),
        calls=["get_item", *FINISH],
        reconciliation=["updates", "sweep"],
    ),
    "start again, by the stream": Path(
        given=created_only,
        does=lambda environment, process, task: process.reconciler.changed(ADA.owner_key, None, task),
        calls=["get_item", "get_item", "get_object", *KEY, "start_execution", "update_item"],
        reconciliation=["stream", "sweep"],
    ),
    "start again, by the sweep": Path(
        given=created_long_ago,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[
            *[*SHARDS, "get_item", "update_item", "describe_execution"],
            *["get_item", "get_item", "get_object", *KEY, "start_execution", "update_item"],
        ],
        reconciliation=["stream", "sweep"],
    ),
    "stop again, by the stream": Path(
        given=cancelled_only,
        does=lambda environment, process, task: process.reconciler.changed(ADA.owner_key, task, stored(environment)),
        calls=["stop_execution", "query"],
        reconciliation=["stream"],
    ),
    "find the work ended, by the sweep": Path(
        given=aborted_long_ago,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, "get_item", "update_item", "describe_execution", "get_item", *FINISH],
        reconciliation=["updates", "sweep"],
    ),
    "give up on the work, by the sweep": Path(
        given=running_for_too_long,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, "get_item", "update_item", "get_item", *FINISH, "stop_execution"],
        reconciliation=["sweep"],
    ),
}

ALL_RECONCILERS = "sweep work updates stream"
"""All processes that reconcile, whether needed or not; the stream delivers everything from its beginning."""


def cuts() -> Iterator[Any]:
    """Yield every place where a process may crash, and the process that reconciles then.

    At each call that is no read, one of them is not slow.
    """
    for name, path in PATHS.items():
        for number, operation in enumerate(path.calls):
            for (when, reconciliation), marks in one_of(product(("before", "after"), path.reconciliation), number):
                marks = (pytest.mark.slow,) if operation in READS else marks
                place = f"{name}: {when} {number} {operation}, then {reconciliation}"
                yield pytest.param(path, number, when, reconciliation, id=place, marks=marks)


@pytest.fixture
def environment(aws: Cloud, clock: FixedClock) -> AwsEnvironment:
    """An environment in which another caller of the tenant has a task too, so that wrong counts show."""
    environment = AwsEnvironment.of(aws, clock)
    tasks = environment.process().tasks
    task = tasks.start(BOB, repeat, {"text": "hello"}, ttl=timedelta(days=7))
    tasks.ports.backlog.postpone(BOB.owner_key, task.id, task.expires_at)
    return environment


@pytest.mark.parametrize("name", PATHS)
def test_a_path_makes_these_calls(environment: AwsEnvironment, name: str) -> None:
    path, fuse = PATHS[name], Fuse()
    path.does(environment, environment.process(fuse), path.given(environment))

    assert fuse.calls == path.calls

    environment.deliver_stream(environment.process())
    check(environment)


@pytest.mark.parametrize(("path", "number", "when", "reconciliation"), list(cuts()))
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
        return process.tasks.start(ADA, repeat, LARGE, key="order 7")

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
    joinable = replace(repeat, tasks="allowed", join_within=timedelta(seconds=30))

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
        environment.process(Fuse(number=0)).tasks.start(ADA, repeat, LARGE)
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
