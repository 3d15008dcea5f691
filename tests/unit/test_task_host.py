"""What a run is given of its task when it begins, in which cases it does not begin, and what it may report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.engine.current_call import note_trace, noting
from mcp_tasks.engine.lifecycle import InitialState, TaskService
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.fallbacks import forget_reported
from mcp_tasks.limits.tools import MAX_LOADED_CHARACTERS
from mcp_tasks.limits.waits import BETWEEN_REPORTS, GRACE, MAX_DIRECT_RUNS, RUN_LEASE, UNNOTICED
from mcp_tasks.ports.run_host import LoadedRun, RunNotWanted
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.security.scopes import INSUFFICIENT_SCOPE
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, PayloadRefused, UnreadableItem
from mcp_tasks.tasks.model import JSON, Failed, State, Task
from tests.kit import ADA, NOON, FixedClock
from tests.unit.direct import Direct
from tests.unit.jobs import DAY, FOLDERS, MINUTE, RED, job, service

MOMENT = timedelta(microseconds=1)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def host_of(tasks: TaskService, task: Task, needed: Sequence[str] = ()) -> TaskHost:
    return TaskHost(tasks=tasks, owner_key=ADA.owner_key, task_id=task.id, needed={task.tool: needed}.__getitem__)


def loaded(host: Any) -> LoadedRun:
    run = host.load()
    assert isinstance(run, LoadedRun)
    return run


def begun(caller: Caller = ADA, steps: dict[str, JSON] | None = None) -> tuple[TaskService, Task]:
    """Return a task that was answered before it was one."""
    clock = FixedClock()
    tasks = service(clock=clock)
    before = InitialState(
        requested=("roots", "colour"), responses={"roots": FOLDERS, "colour": RED}, steps=steps or {"draw": 1}
    )
    with noting():
        note_trace(TRACE)
        return tasks, tasks.start(caller, job, {"name": "x"}, ttl=DAY, initial_state=before)


def test_a_run_is_given_who_called_in_which_trace_and_what_is_recorded() -> None:
    tasks, task = begun(replace(ADA, actor={"sub": "agent"}, scopes=frozenset({"a"})))

    run = loaded(host_of(tasks, task))

    assert (run.task_id, run.tool, run.tool_version) == (task.id, "job", job.version)
    assert run.actor == {"sub": "agent"}
    assert (run.scopes, run.trace) == (frozenset({"a"}), TRACE)
    assert (run.arguments, len(run.steps)) == ({"name": "x"}, 1)
    assert run.responses == {"roots": FOLDERS, "colour": RED}
    assert (run.due_at, run.left, run.attempt) == (NOON + 5 * MINUTE, 5 * MINUTE, None)
    assert host_of(tasks, task).count_steps() == 1


@pytest.mark.parametrize("over", [0, 1])
def test_as_much_as_fits_of_what_is_recorded_is_loaded_to_the_last_character(over: int) -> None:
    value = "x" * (MAX_LOADED_CHARACTERS - len(json.dumps("")) + over)
    tasks, task = begun(steps={"draw": value})

    assert list(loaded(host_of(tasks, task)).steps.values()) == ([] if over else [value])


# --- the time of a run without an execution


def test_each_run_without_an_execution_has_the_time_of_its_tool_from_when_it_begins() -> None:
    made = Direct(timeout=10 * MINUTE)
    made.start()
    made.clock.advance(MINUTE)

    run = loaded(made.host("the first"))
    assert (run.due_at, run.left, run.attempt) == (NOON + 11 * MINUTE, 10 * MINUTE, 1)


def test_its_time_ends_with_that_of_the_task() -> None:
    made = Direct(timeout=10 * MINUTE)
    task = made.start()
    late = MAX_DIRECT_RUNS * 10 * MINUTE + UNNOTICED - MINUTE
    made.clock.advance(late)

    run = loaded(made.host("the first"))
    assert (run.due_at, run.left) == (task.due_at, MINUTE)
    assert made.lease(task) is not None
    assert RUN_LEASE <= MINUTE + GRACE


# --- scopes


@pytest.mark.parametrize("needed", [(), ("a",), ("b", "a")])
def test_a_run_begins_with_the_scopes_that_its_tool_needs(needed: Sequence[str]) -> None:
    tasks, task = begun(replace(ADA, scopes=frozenset({"a", "b"})))

    assert loaded(host_of(tasks, task, needed))


def test_a_task_that_lacks_scopes_fails_and_its_run_does_not_begin(caplog: pytest.LogCaptureFixture) -> None:
    tasks, task = begun(replace(ADA, scopes=frozenset({"a"})))

    with pytest.raises(RunNotWanted):
        host_of(tasks, task, ("a", "b")).load()

    reason = "job needs the scopes a b, and the request that created this task had fewer."
    assert tasks.outcome(ADA, task.id) == Failed(code=INSUFFICIENT_SCOPE, message=reason)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert {name: vars(record)[name] for name in ("task", "tenant", "tool")} == {
        "task": task.id,
        "tenant": "acme",
        "tool": "job",
    }


# --- what it reports


def test_what_is_expected_is_written_again_where_it_differs_by_a_second() -> None:
    tasks, task = begun()
    host = host_of(tasks, task)
    host.expected(NOON + MINUTE)
    for at in (NOON + MINUTE - BETWEEN_REPORTS + MOMENT, NOON + MINUTE + BETWEEN_REPORTS - MOMENT):
        host.expected(at)
        assert tasks.get(ADA, task.id).expected_at == NOON + MINUTE

    host.expected(NOON + MINUTE + BETWEEN_REPORTS)
    assert tasks.get(ADA, task.id).expected_at == NOON + MINUTE + BETWEEN_REPORTS


def test_a_change_of_a_resource_is_published_by_its_address() -> None:
    tasks, task = begun()
    host_of(tasks, task).published("report://2026")

    feed = tasks.ports.change_feed
    assert feed.version(ADA.owner_key, "report://2026") > 0 == feed.version(ADA.owner_key, "report://2025")


# --- what is stored of its task cannot be read

DAMAGED = UnreadableItem("arguments", "is damaged")


@dataclass
class Unreadable:
    """A store that cannot read what belongs to a task, for a reason."""

    store: TaskStore
    reason: UnreadableItem

    def __getattr__(self, name: str) -> Any:
        if name in {"arguments", "recall", "record", "response"}:
            raise self.reason
        return getattr(self.store, name)


def unreadable(reason: UnreadableItem) -> tuple[TaskService, TaskHost]:
    tasks, task = begun()
    damaged: Any = Unreadable(tasks.ports.tasks, reason)
    return tasks, host_of(replace(tasks, ports=replace(tasks.ports, tasks=damaged)), task)


READS: dict[str, Callable[[TaskHost], object]] = {
    "load": lambda host: host.load(),
    "recall": lambda host: host.recall("draw"),
    "record": lambda host: host.record("cut", 1),
    "response": lambda host: host.response("roots"),
}


@pytest.mark.parametrize("does", READS)
def test_a_task_of_which_something_is_damaged_fails_and_says_so(does: str, caplog: pytest.LogCaptureFixture) -> None:
    forget_reported()
    tasks, host = unreadable(DAMAGED)

    with pytest.raises(RunNotWanted):
        READS[does](host)

    assert tasks.outcome(ADA, host.task_id) == Failed(code=-32603, message=UnreadableItem.for_client)
    (fields,) = [vars(each) for each in caplog.records if "fallback" in vars(each)]
    assert (fields["fallback"], fields["task"], fields["tenant"]) == ("unreadable_item", host.task_id, "acme")


@pytest.mark.parametrize("reason", [NewerSchema("arguments", found=9, known=8), PayloadRefused("arguments")], ids=str)
@pytest.mark.parametrize("does", READS)
def test_a_task_of_which_another_attempt_may_read_all_goes_on(does: str, reason: UnreadableItem) -> None:
    tasks, host = unreadable(reason)

    with pytest.raises(UnreadableItem) as raised:
        READS[does](host)
    assert raised.value is reason
    assert tasks.get(ADA, host.task_id).state is State.WORKING
