"""A task ends with the outcome that was recorded first, as its tenant's plan leaves it; one that fails is logged."""

from dataclasses import replace

import pytest

from mcp_tasks.fallbacks import forget_reported
from mcp_tasks.tasks.errors import LimitReached, StaleTask
from mcp_tasks.tasks.model import Failed, OutcomeKind, Returned, State, Task
from mcp_tasks.tasks.plan import Plan
from tests.kit import ADA, EVE
from tests.unit.jobs import DONE, job, progress, service
from tests.unit.tenant_plans import PlansOfTwo, fallbacks, of_plans, with_ports

LARGE = Returned(result={"content": [{"type": "text", "text": "x" * 1_000}]})
SMALL_PLAN = Plan(result_bytes=500, stored_bytes=2_000)


def test_an_outcome_is_as_large_as_the_plan_of_its_owner_allows() -> None:
    tasks = of_plans(acme=SMALL_PLAN, rival=Plan())

    assert tasks.fitting(EVE.owner_key, LARGE) == LARGE
    limited = tasks.fitting(ADA.owner_key, LARGE)
    assert isinstance(limited, Returned)
    assert limited.is_error
    assert tasks.fitting(ADA.owner_key, DONE) == DONE

    task = tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, task.id, LARGE)
    assert tasks.outcome(ADA, task.id) == limited


def test_an_outcome_that_was_recorded_before_its_process_died_is_the_tasks_whatever_comes_later() -> None:
    tasks = of_plans(acme=SMALL_PLAN)
    task = tasks.start(ADA, job, {})
    progress(tasks, task, 1)
    with pytest.raises(StaleTask):
        # It records the outcome, and comes too late to finish the task.
        tasks.ports.tasks.write(ADA.owner_key, task, replace(task, state=State.FINISHED, version=2), DONE)

    ended = tasks.finish(ADA.owner_key, task.id, Failed(code=-1, message="late"))

    assert (ended.state, ended.outcome_kind, ended.status_message) == (State.FINISHED, OutcomeKind.RETURNED, None)
    assert tasks.outcome(ADA, task.id) == DONE


@pytest.mark.parametrize("recorded", [False, True])
def test_an_outcome_counts_as_stored_bytes_of_its_tenant(recorded: bool) -> None:
    tasks = of_plans(acme=Plan(stored_bytes=1_100, subject_share=1))
    task = tasks.start(ADA, job, {})
    if recorded:
        progress(tasks, task, 1)
        with pytest.raises(StaleTask):
            tasks.ports.tasks.write(ADA.owner_key, task, replace(task, state=State.FINISHED, version=2), LARGE)
    tasks.start(ADA, job, {"name": "x" * 200})

    tasks.finish(ADA.owner_key, task.id, DONE if recorded else LARGE)

    with pytest.raises(LimitReached):
        tasks.start(ADA, job, {"name": "x" * 200})


def test_where_the_plan_cannot_be_read_an_outcome_is_not_limited_and_that_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    forget_reported()
    tasks = service()
    task = tasks.start(ADA, job, {})

    with_ports(tasks, plans=PlansOfTwo()).finish(ADA.owner_key, task.id, LARGE)

    assert tasks.outcome(ADA, task.id) == LARGE
    (logged,) = caplog.records
    assert (vars(logged)["tenant"], fallbacks(caplog)) == ("acme", ["unreadable_item"])
    assert "neither limited nor counted: item the plan of acme" in logged.message


def test_a_task_that_is_gone_or_over_or_not_so_does_not_fail_and_nothing_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tasks = service()
    live, over = tasks.start(ADA, job, {}), tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, over.id, DONE)

    assert tasks.fail(ADA.owner_key, "no such task", "It died.") is False
    assert tasks.fail(ADA.owner_key, over.id, "It died.") is False
    assert tasks.fail(ADA.owner_key, live.id, "It died.", if_so=lambda task: task.id != live.id) is False
    assert (tasks.read(ADA.owner_key, live.id), caplog.records) == (live, [])


def test_whether_a_task_fails_is_decided_again_where_another_wrote_it_in_between() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    def was_so(read: Task) -> bool:
        if read.version == task.version:
            progress(tasks, task, 1)
        return read.version == task.version

    assert tasks.fail(ADA.owner_key, task.id, "It died.", if_so=was_so) is False
    assert tasks.read(ADA.owner_key, task.id).state is State.WORKING


def test_a_task_that_fails_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    assert tasks.fail(ADA.owner_key, task.id, "It died.") is True
    assert caplog.messages == [f"task {task.id} failed, since its work recorded no outcome: It died."]
