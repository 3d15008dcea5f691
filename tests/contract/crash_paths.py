"""What processes do with a task of either kind, and the calls of AWS that it takes: where crash tests cut them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import GRACE, MAX_DIRECT_RUNS
from mcp_tasks.tasks.model import DEFAULT_MACHINE, DIRECT_MACHINE, RunLease, Task
from tests.contract.aws_environment import AwsEnvironment
from tests.contract.process import Crash, Fuse, Path, Process
from tests.kit import ADA

LARGE = {"text": "x" * 400_000}
"""Too large for an item, so that arguments and outcome go through S3."""

SHARDS = ["query"] * 4
COUNTERS = ["query", "get_item"]
"""Of an owner and its tenant: whether they can be read is looked at before the first check of one of its tasks."""
ROOM = ["query", "get_item"]
"""Before anything is put for a task, that there is room for it is read."""

KEY = ["get_item"]
"""A process reads the key of tickets once."""
FINISH = ["put_item", "transact_write_items"]
FAIL = ["transact_write_items"]
"""A failure is written with its task, and what a tool returned before it."""


def stored(environment: AwsEnvironment) -> Task:
    """Return the caller's task from the store."""
    (task,) = [task for owner_key, task in environment.stored() if owner_key == ADA.owner_key]
    return task


def start(environment: AwsEnvironment, process: Process) -> Task:
    return process.tasks.start(ADA, environment.tool, LARGE, ttl=timedelta(hours=1))


def started(environment: AwsEnvironment) -> Task:
    return start(environment, environment.process())


def created_only(environment: AwsEnvironment) -> Task:
    """Create a task whose execution was not started."""
    with pytest.raises(Crash):
        start(environment, environment.process(Fuse(number=5)))
    return stored(environment)


def aborted(environment: AwsEnvironment) -> Task:
    """Start a task whose execution was stopped, or whose last run has died."""
    task = started(environment)
    if environment.is_direct:
        spent = RunLease(run="the last", number=MAX_DIRECT_RUNS, until=environment.clock.now())
        assert environment.process().tasks.ports.backlog.lease(ADA.owner_key, task, spent)
    else:
        environment.abort(task)
    return task


def a_minute_ago(given: Callable[[AwsEnvironment], Task]) -> Callable[[AwsEnvironment], Task]:
    """Return what brings about the same, a minute before the sweep that checks the task."""

    def earlier(environment: AwsEnvironment) -> Task:
        task = given(environment)
        environment.clock.advance(timedelta(minutes=1))
        return task

    return earlier


def running_for_too_long(environment: AwsEnvironment) -> Task:
    task = started(environment)
    environment.clock.advance(task.due_at + GRACE - environment.clock.now())
    return task


def cancelled_only(environment: AwsEnvironment) -> Task:
    """Cancel a task whose execution was not stopped."""
    task = started(environment)
    with pytest.raises(Crash):
        environment.process(Fuse(number=1, when="after")).tasks.cancel(ADA, task.id)
    return task


def expired(environment: AwsEnvironment) -> Task:
    task = started(environment)
    environment.clock.advance(task.ttl)
    return task


def expired_and_deleted(environment: AwsEnvironment) -> Task:
    task = expired(environment)
    environment.forget(task, ADA.owner_key)
    return task


OF_AN_EXECUTION: Mapping[str, Path[AwsEnvironment]] = {
    "create": Path(
        given=lambda environment: None,
        does=lambda environment, process, _: start(environment, process),
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
        calls=["get_item", "transact_write_items", "stop_execution", "query"],
        reconciliation=["stream"],
    ),
    "expire, by the sweep": Path(
        given=expired,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, *COUNTERS, "get_item", "delete_item"],
        reconciliation=["sweep stream"],
    ),
    "EventBridge": Path(
        given=aborted,
        does=lambda environment, process, task: process.execution_outcomes.ended(ADA.owner_key, task.id, "ABORTED"),
        calls=["get_item", *FAIL],
        reconciliation=["updates", "sweep"],
    ),
    "start again, by the stream": Path(
        given=created_only,
        does=lambda environment, process, task: process.reconciler.changed(ADA.owner_key, None, task),
        calls=["get_item", "get_item", "get_object", *KEY, "start_execution", "update_item"],
        reconciliation=["stream", "sweep"],
    ),
    "start again, by the sweep": Path(
        given=a_minute_ago(created_only),
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[
            *[*SHARDS, *COUNTERS, "get_item", "update_item", "describe_execution"],
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
        given=a_minute_ago(aborted),
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, *COUNTERS, "get_item", "update_item", "describe_execution", "get_item", *FAIL],
        reconciliation=["updates", "sweep"],
    ),
    "give up on the work, by the sweep": Path(
        given=running_for_too_long,
        does=lambda environment, process, _: process.reconciler.sweep(limit=10),
        calls=[*SHARDS, *COUNTERS, "get_item", "update_item", "get_item", *FAIL, "stop_execution"],
        reconciliation=["sweep"],
    ),
}


def _direct(name: str, path: Path[AwsEnvironment]) -> Path[AwsEnvironment]:
    """Return what is done where there is no execution: an event starts the work, and a lease tells of it."""
    calls = [EVENT.get(call, call) for call in path.calls]
    if name == "finish":
        # The run takes the lease when it has read the task.
        calls.insert(2, "update_item")
    told = [each for each in path.reconciliation if each != "updates"]
    return replace(path, calls=[call for call in calls if call], reconciliation=told)


EVENT: Mapping[str, str] = {"start_execution": "invoke", "stop_execution": "", "describe_execution": ""}

PATHS: Mapping[str, Mapping[str, Path[AwsEnvironment]]] = {
    DEFAULT_MACHINE: OF_AN_EXECUTION,
    # No event of EventBridge tells of a run.
    DIRECT_MACHINE: {name: _direct(name, path) for name, path in OF_AN_EXECUTION.items() if name != "EventBridge"},
}
"""By machine, and by name."""
