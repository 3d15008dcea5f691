"""A task that requests input: suspended for days, without a process, until the response or its timeout."""

import time
from datetime import timedelta

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from tests.harness.executions import active, called, executions
from tests.harness.faults import death
from tests.harness.rev_2026_07_28.responding import open_requests, respond
from tests.harness.tasks import DeployedTasks
from tests.kit import BOB, EVE


def says(words: str) -> JSON:
    return {"action": "accept", "content": {"said": words}}


def test_a_task_is_suspended_for_days_and_goes_on_with_the_answer(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]])
    with called(tasks) as names:
        tasks.advance(hours=23)
    assert (task.status, list(open_requests(task)), executions(tasks)) == ("input_required", ["a"], ["RUNNING"])
    assert names == []

    respond(task, a=says("yes"))
    assert (task.result.text, executions(tasks), active(tasks)) == ("noted, yes", ["SUCCEEDED"], 0)


def test_a_machine_of_the_tools_own_is_suspended_as_well(tasks: DeployedTasks) -> None:
    task = tasks.start("curious_later", after_seconds=60)
    assert (task.status, open_requests(task)) == ("working", {})

    tasks.advance(hours=3)
    assert (task.status, list(open_requests(task))) == ("input_required", ["late"])

    respond(task, late=says("yes"))
    assert (task.result.text, executions(tasks)) == ("yes after 60 s", ["SUCCEEDED"])


def test_an_answer_to_one_of_two_input_requests_keeps_it_suspended(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a", "b"], ["c"]])
    respond(task, b=says("second"))
    tasks.advance(hours=1)
    assert (task.status, list(open_requests(task))) == ("input_required", ["a"])

    respond(task, a=says("first"))
    assert (task.status, list(open_requests(task))) == ("input_required", ["c"])

    respond(task, c=says("third"))
    assert task.result.text == "noted, first, second, third"


def test_the_first_answer_counts(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a", "b"]])
    respond(task, a=says("first"))
    respond(task, a=says("again"), unknown=says("what?"))
    assert list(open_requests(task)) == ["b"]

    respond(task, a=says("and again"), b=says("done"))
    assert task.result.text == "noted, first, done"


def test_an_invalid_response_is_rejected_and_the_input_request_stays_open(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a", "b"]])
    with pytest.raises(McpError, match="said"):
        respond(task, a={"action": "accept", "content": {"said": 7}}, b=says("fits"))
    assert (task.status, list(open_requests(task))) == ("input_required", ["a", "b"])

    respond(task, a=says("better"), b=says("fits"))
    assert task.result.text == "noted, better, fits"


def test_an_input_request_that_nobody_answers_in_time_is_over(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"], ["b"]], seconds=3600)
    tasks.advance(minutes=59)
    assert list(open_requests(task)) == ["a"]

    tasks.advance(minutes=2)
    assert (task.status, list(open_requests(task))) == ("input_required", ["b"])

    respond(task, a=says("late"), b=says("in time"))
    assert (task.result.text, executions(tasks)) == ("noted, nobody, in time", ["SUCCEEDED"])


def test_an_input_request_whose_time_is_over_before_it_was_published_is_over_all_the_same(tasks: DeployedTasks) -> None:
    def slowly(event: JSON, context: object) -> None:
        time.sleep(5)
        suspend(event, context)

    suspend = tasks.harness.replace("suspend_task", slowly)
    task = tasks.start("curious", batches=[["a"]], seconds=1)
    tasks.advance(seconds=30)

    assert (task.result.text, executions(tasks)) == ("noted, nobody", ["SUCCEEDED"])


def test_a_task_that_nobody_answers_at_all_ends_before_it_expires(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]])
    tasks.advance(hours=23, minutes=59)

    assert (task.status, active(tasks)) == ("completed", 0)
    assert (task.result.text, executions(tasks)) == ("noted, nobody", ["SUCCEEDED"])


def test_the_time_that_a_task_is_suspended_is_not_the_works(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"], ["b"]])
    for key in ("a", "b"):
        tasks.advance(hours=2)
        respond(task, **{key: says("after hours")})

    assert task.result.text == "noted, after hours, after hours"


def test_a_suspended_task_that_is_cancelled_stops_at_once(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]])
    tasks.advance(hours=1)
    task.cancel()
    assert (task.status, open_requests(task)) == ("cancelled", {})
    assert (active(tasks), executions(tasks)) == (0, ["ABORTED"])

    respond(task, a=says("too late"))
    tasks.advance(days=1)
    assert executions(tasks) == ["ABORTED"]


@pytest.mark.parametrize("other", [BOB, EVE])
def test_nobody_else_can_answer(tasks: DeployedTasks, other: Caller) -> None:
    task = tasks.start("curious", batches=[["a"]])
    theirs = tasks.find(task.id, as_caller=other)
    unknown = tasks.find("0" * len(task.id), as_caller=other)
    rejections = []
    for each in (theirs, unknown):
        with pytest.raises(McpError) as rejection:
            respond(each, a=says("mine"))
        rejections.append(str(rejection.value).replace(each.id, "it"))

    assert rejections[0] == rejections[1]
    assert list(open_requests(task)) == ["a"]


def test_an_answer_that_came_before_the_work_was_suspended_again_is_not_lost(tasks: DeployedTasks) -> None:
    """Suspending dies once its token is published, which is of no use any more: the next attempt finds the answer."""
    with death("after", place=11), called(tasks) as names:
        task = tasks.start("curious", batches=[["a"]])
    assert [name for name in names if name != "host_run"] == ["serve_mcp", "run_tool", "suspend_task"]
    assert list(open_requests(task)) == ["a"]

    respond(task, a=says("early"))
    assert task.status == "working"

    tasks.advance(seconds=2)
    assert (task.result.text, executions(tasks)) == ("noted, early", ["SUCCEEDED"])


def test_work_that_is_suspended_when_its_task_is_deleted_is_stopped(tasks: DeployedTasks) -> None:
    tasks.start("curious", batches=[["a"]])
    tasks.harness.replace("run_tool", lambda event, context: {"asked": True, "seconds": 3 * 24 * 3600})
    # Nobody sweeps meanwhile.
    tasks.harness.clock.advance(tasks.harness.clock.now() + timedelta(days=2))

    tasks.harness.expire()
    assert (active(tasks), executions(tasks)) == (0, ["ABORTED"])
