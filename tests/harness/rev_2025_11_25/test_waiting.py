"""`tasks/result` through a gateway that hangs up after 29 seconds: real handlers, real cursors, minutes in no time."""

from datetime import timedelta

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.rev_2025_11_25 import Client
from tests.harness.tasks import DeployedTask, DeployedTasks


def test_a_caller_waits_longer_than_the_gateway_allows(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=70)
    waiting = tasks.harness.meanwhile(lambda: result(task))

    tasks.advance(seconds=69)
    assert not waiting.done()

    # A twentieth of the time waited may pass until the client looks.
    tasks.advance(seconds=1 + 70 * 0.05)
    assert waiting.result(timeout=0) == "waited 70 s"


def test_four_callers_who_wait_for_one_task_are_all_answered_within_a_second(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=20)
    waiting = [tasks.harness.meanwhile(lambda: result(task)) for _ in range(4)]

    tasks.advance(seconds=21)

    assert [each.result(timeout=0) for each in waiting] == ["waited 20 s"] * 4


def test_a_caller_who_waits_gets_the_cancellation(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=100)
    waiting = tasks.harness.meanwhile(lambda: result(task))
    tasks.advance(seconds=10)

    task.cancel()
    tasks.advance(seconds=1)

    error = waiting.exception(timeout=0)
    assert isinstance(error, McpError)
    assert "cancelled" in str(error)


def test_a_caller_who_waits_is_sent_status_messages(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=5)
    waiting = tasks.harness.meanwhile(lambda: result(task))

    tasks.advance(seconds=51)

    assert waiting.result(timeout=0) == "done"
    assert isinstance(task.client, Client)
    messages = [message["params"].get("statusMessage") for message in task.client.received]
    # One of five steps took 10 s, so that the next look came three quarters of the remaining 40 s later.
    # The fourth step ends in that very moment, and either comes first.
    assert messages in (["step 1", "step 4", None], ["step 1", "step 3", "step 4", None])


def test_the_first_call_passes_the_time_if_nobody_else_does(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=40)
    before = tasks.harness.clock.now()

    assert result(task) == "waited 40 s"
    assert timedelta(seconds=40) <= tasks.harness.clock.now() - before <= timedelta(seconds=41)


def result(task: DeployedTask) -> str:
    answer = task.client.request("tasks/result", {"taskId": task.id})
    return str(answer["content"][0]["text"])
