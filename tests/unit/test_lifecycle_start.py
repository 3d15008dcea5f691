"""A new task: its fields, the order of its writes, and its limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import tool
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import InitialState, new_task_id
from mcp_tasks.engine.limits import Limits
from mcp_tasks.features.results import failure
from mcp_tasks.limits.waits import KEPT, LONGEST_SPAN
from mcp_tasks.tasks.errors import ArgumentsTooLarge, TooManyTasks
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.model import JSON, Holding, State, Task
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, IdleExecutor, plan_of
from tests.unit.jobs import COLOUR, DAY, FOLDERS, MINUTE, job, service, slow


def test_a_started_task_is_what_was_asked_for() -> None:
    client_capabilities = frozenset({"roots"})
    task = service().start(ADA, slow, {}, progress_token="p", session="s", client_capabilities=client_capabilities)

    assert task == Task(
        id=task.id,
        tool="slow",
        tool_version=slow.version,
        created_at=NOON,
        updated_at=NOON,
        ttl=4 * DAY,
        timeout=3 * DAY,
        poll_interval=timedelta(seconds=0.5),
        machine="slow",
        started_at=NOON,
        holding=Holding(active=True),
        progress_token="p",
        session="s",
        scopes=ADA.scopes,
        plan="default",
        client_capabilities=client_capabilities,
    )


def test_a_call_that_becomes_a_task_on_its_way_begins_where_it_stood() -> None:
    tasks = service()
    initial_state = InitialState(
        requested=("roots", "colour"), input_requests=(COLOUR,), steps={"draw": [1]}, responses={"roots": FOLDERS}
    )

    task = tasks.start(ADA, job, {}, initial_state=initial_state)

    store = tasks.ports.tasks
    assert (task.state, task.requested, task.requested_at) == (State.WORKING, ("roots", "colour"), NOON)
    assert (task.input_requests, task.open_input_requests) == ((COLOUR,), ())
    assert store.recall(ADA.owner_key, task.id, "draw") == ([1],)
    assert (store.response(ADA.owner_key, task.id, "roots"), store.response(ADA.owner_key, task.id, "colour")) == (
        FOLDERS,
        None,
    )


def test_a_call_that_was_answered_before_it_became_a_task_asks_nothing() -> None:
    task = service().start(ADA, job, {}, initial_state=InitialState(requested=("roots",), responses={"roots": FOLDERS}))

    assert (task.requested, task.requested_at, task.input_requests) == (("roots",), None, ())


def test_a_request_that_is_repeated_under_its_key_begins_once() -> None:
    tasks = service()
    first = tasks.start(ADA, job, {}, key="k", initial_state=InitialState(steps={"draw": 1}))

    assert tasks.start(ADA, job, {}, key="k", initial_state=InitialState(steps={"draw": 2})) == first
    assert tasks.ports.tasks.recall(ADA.owner_key, first.id, "draw") == (1,)


def test_a_started_task_is_stored_and_its_work_started() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {"name": "x"})

    assert tasks.get(ADA, task.id) == task
    assert tasks.arguments(ADA.owner_key, task.id) == {"name": "x"}
    assert (executor.started, executor.stopped) == ({task.id: {"name": "x"}}, {})


def test_a_task_is_stored_before_its_work_begins() -> None:
    class Curious(IdleExecutor):
        def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
            seen.append(tasks.get(ADA, task.id))

    seen: list[Task] = []
    tasks = service(executor=Curious())

    assert [tasks.start(ADA, job, {})] == seen


def test_a_task_whose_work_cannot_begin_yet_is_a_task() -> None:
    tasks = service(executor=IdleExecutor(down=True))

    task = tasks.start(ADA, job, {})

    assert tasks.get(ADA, task.id).state is State.WORKING


@given(st.lists(st.integers(0, 2**40), min_size=2, max_size=5))
def test_ids_sort_as_their_tasks_were_created(moments: list[int]) -> None:
    ids = [new_task_id(NOON + timedelta(milliseconds=moment)) for moment in moments]

    pairs = list(zip(moments, ids, strict=True))
    assert all((one < other) == (first < second) for one, first in pairs for other, second in pairs if one != other)


def test_ids_of_one_moment_differ_and_suit_a_url_and_an_execution_name() -> None:
    ids = {new_task_id(NOON) for _ in range(1_000)}

    assert len(ids) == 1_000
    assert all(each.isascii() and each.isalnum() and len(each) <= 80 for each in ids)


@pytest.mark.parametrize(
    ("requested", "granted"),
    [
        (None, DAY),
        (timedelta(hours=2), timedelta(hours=2)),
        (365 * DAY, 7 * DAY),
        (timedelta.max, 7 * DAY),
        (MINUTE, 5 * MINUTE + KEPT),
        (timedelta(), 5 * MINUTE + KEPT),
        (-MINUTE, 5 * MINUTE + KEPT),
    ],
)
def test_a_requested_ttl_is_granted_within_bounds(requested: timedelta | None, granted: timedelta) -> None:
    assert service().start(ADA, job, {}, ttl=requested).ttl == granted


@pytest.mark.parametrize(("requested", "granted"), [(None, 5 * DAY), (MINUTE, 5 * DAY), (6 * DAY, 6 * DAY)])
def test_a_client_cannot_have_a_task_kept_less_than_its_tool_says(
    requested: timedelta | None, granted: timedelta
) -> None:
    patient = tool(ttl=5 * DAY)(job.work.function)

    assert service().start(ADA, patient, {}, ttl=requested).ttl == granted


def test_no_work_goes_on_after_its_task_has_expired() -> None:
    task = service(Limits(longest_ttl=DAY)).start(ADA, slow, {})

    assert (task.ttl, task.timeout) == (DAY, DAY - KEPT)


def test_work_that_is_rejected_at_once_never_starts() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {}, outcome=failure("no"))

    assert task.state is State.WORKING
    assert tasks.outcome(ADA, task.id) == failure("no")
    assert not executor.started


def test_what_ended_before_it_could_be_rejected_stays_as_it_ended() -> None:
    class Overtaken(MemoryTaskStore):
        def create(self, owner_key: str, task: Task, *args: Any, **more: Any) -> Task:
            created = super().create(owner_key, task, *args, **more)
            tasks.finish(owner_key, task.id, failure("by the stream"))
            return created

    tasks = service()
    tasks = replace(tasks, ports=replace(tasks.ports, tasks=Overtaken(FixedClock())))

    task = tasks.start(ADA, job, {}, outcome=failure("no"))

    assert tasks.outcome(ADA, task.id) == failure("by the stream")


@dataclass(slots=True, kw_only=True)
class LateExecutor(IdleExecutor):
    """An executor that is so slow to start that something happens before it does."""

    before_start: Callable[[Task], object]

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self.before_start(task)
        IdleExecutor.start(self, owner_key, task, arguments)


def test_work_on_a_task_that_was_cancelled_before_it_started_is_stopped() -> None:
    def cancel(task: Task) -> None:
        tasks.apply(ADA.owner_key, task.id, CancelRequested(status_message="quicker"))

    executor = LateExecutor(before_start=cancel)
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {})

    assert list(executor.stopped) == [task.id]


def test_a_tenant_runs_so_many_tasks_and_no_more() -> None:
    executor = IdleExecutor()
    tasks = service(plan=plan_of(2), executor=executor)
    first = tasks.start(ADA, job, {})
    tasks.start(BOB, job, {})

    with pytest.raises(TooManyTasks, match="2 tasks at a time"):
        tasks.start(ADA, job, {})

    assert len(executor.started) == 2
    assert tasks.start(EVE, job, {}).state is State.WORKING
    tasks.cancel(ADA, first.id)
    assert tasks.start(ADA, job, {}).state is State.WORKING


@pytest.mark.parametrize("made", [job, slow])
def test_arguments_may_be_large_and_not_larger(made: Any) -> None:
    tasks = service(Limits(arguments_bytes=100, machine_arguments_bytes=100))
    tasks.start(ADA, made, {"name": "x" * 70})

    with pytest.raises(ArgumentsTooLarge, match="at most 100"):
        tasks.start(ADA, made, {"name": "x" * 100})


def test_a_task_knows_how_long_its_tool_says_that_it_takes_and_its_machine_waits() -> None:
    @tool(machine="waits", expected=timedelta(seconds=90), not_before="seconds")
    def wait(seconds: float) -> str:
        """Wait."""
        return "done"

    longest = LONGEST_SPAN.total_seconds()
    waited = [(each, NOON + timedelta(seconds=each)) for each in (30, 0.5, longest)]
    for seconds, until in (*waited, (0, None), (-5, None), (longest + 1, None), (1e300, None)):
        task = service().start(ADA, wait, {"seconds": seconds})
        assert (task.expected, task.not_before) == (timedelta(seconds=90), until)


def test_what_a_tool_says_of_its_duration_is_checked() -> None:
    def wait(seconds: float) -> str:
        """Wait."""
        return "done"

    with pytest.raises(ValueError, match="expected cannot be negative"):
        tool(expected=timedelta(seconds=-1))(wait)
    with pytest.raises(ValueError, match="not_before names no argument: 'minutes'"):
        tool(machine="waits", not_before="minutes")(wait)
    with pytest.raises(ValueError, match="whose own state machine waits"):
        tool(not_before="seconds")(wait)
