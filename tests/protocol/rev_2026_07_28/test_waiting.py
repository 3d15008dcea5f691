"""Long work for clients without tasks: they wait for the result, or get a task handle."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Failed
from tests.kit import BOB, EVE, NOON
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import TASKS, Client

SUM = {"name": "add", "arguments": {"numbers": [40, 2]}}
KEY = {"io.github.mcp-task-server/idempotency-key": "order 66"}


def task_handle(harness: Harness, client: Client) -> str:
    """Call a tool that does not finish within the wait, and return the id of its task."""
    harness.idle = True
    handle = client.result("tools/call", **SUM)["structuredContent"]
    assert handle["status"] == "working"
    return str(handle["task_id"])


@requirement("B-TASK-2", "B-TASK-3", "B-TOOL-5")
def test_a_call_waits_for_its_work_which_is_started_once(harness: Harness, ada: Client, plain: Client) -> None:
    task_id = ada.start("add", numbers=[40, 2])
    harness.run(task_id)

    result = plain.result("tools/call", **SUM)

    assert result == ada.tasks_get(task_id)["result"]
    assert result["structuredContent"] == {"total": 42}
    assert len(harness.executor.started) == 2


@requirement("B-TASK-2")
def test_work_that_takes_a_while_is_waited_for(harness: Harness, plain: Client) -> None:
    harness.idle = True
    harness.while_waiting(*[lambda: None] * 2, lambda: harness.run(next(iter(harness.executor.started))))

    result = plain.result("tools/call", **SUM)

    assert result["structuredContent"] == {"total": 42}
    assert harness.clock.now() - NOON == timedelta(seconds=3)


@requirement("B-TASK-2", "B-TASK-28")
def test_work_that_takes_too_long_becomes_a_task_and_goes_on(harness: Harness, plain: Client) -> None:
    harness.idle = True

    reply = plain.send_request("tools/call", SUM, meta={"progressToken": 1})

    (task_id,) = harness.executor.started
    result = reply.message["result"]
    assert (reply.streamed, result["resultType"], result["isError"]) == (False, "complete", False)
    sent = result["structuredContent"]
    assert (sent["task_id"], sent["status"]) == (task_id, "working")
    assert result["content"][0]["text"] == f"{sent['message']} {sent['next_step']}"
    assert ("do not call it again" in sent["message"], "task_result" in sent["next_step"]) == (True, True)
    assert (harness.clock.now() - NOON, harness.executor.stopped) == (timedelta(seconds=3), {})


@requirement("B-TASK-2", "B-TASK-15")
def test_task_result_returns_the_result_of_a_call_that_became_a_task(harness: Harness, plain: Client) -> None:
    task_id = task_handle(harness, plain)
    harness.while_waiting(lambda: harness.run(task_id))

    result = plain.call("task_result", task_id=task_id)
    harness.idle = False

    assert result == plain.result("tools/call", **SUM)
    assert next(iter(harness.executor.started)) == task_id


@requirement("B-TASK-2")
def test_task_result_may_have_to_be_called_again(harness: Harness, plain: Client) -> None:
    task_id = task_handle(harness, plain)
    before = harness.clock.now()

    again = plain.call("task_result", task_id=task_id)

    assert "do not call it again" in again["structuredContent"]["message"]
    assert again["structuredContent"]["task_id"] == task_id
    assert harness.clock.now() - before == timedelta(seconds=3)
    assert list(harness.executor.started) == [task_id]


@requirement("B-TASK-2", "B-TOOL-5")
def test_a_failure_is_a_failure_for_every_client(harness: Harness, plain: Client) -> None:
    failed = plain.call("stumble")
    rejected = plain.error("tools/call", name="refuse")

    assert (failed["isError"], failed["content"][0]["text"]) == (True, "The stone was in the way.")
    assert rejected == {"code": 1969, "message": "The moon is closed.", "data": {"opens": "tomorrow"}}


@requirement("B-TASK-15", "B-TOOL-5")
def test_task_result_returns_the_error_of_a_failed_task(harness: Harness, plain: Client) -> None:
    task_id = task_handle(harness, plain)
    harness.finish(task_id, Failed(code=1969, message="closed"))

    assert plain.error("tools/call", name="task_result", arguments={"task_id": task_id})["code"] == 1969


@requirement("B-TASK-25", "B-TOOL-8")
def test_task_cancel_stops_the_work(harness: Harness, plain: Client) -> None:
    task_id = task_handle(harness, plain)

    stopped = plain.call("task_cancel", task_id=task_id)
    again = plain.call("task_cancel", task_id=task_id)
    result = plain.call("task_result", task_id=task_id)

    assert list(harness.executor.stopped) == [task_id]
    assert [each["isError"] for each in (stopped, again, result)] == [False, True, True]
    assert "cancelled" in result["content"][0]["text"]


@requirement("B-TOOL-8", "B-TASK-11")
@pytest.mark.parametrize("name", ["task_result", "task_cancel"])
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_another_callers_id_is_as_good_as_none(harness: Harness, plain: Client, name: str, stranger: Caller) -> None:
    task_id = task_handle(harness, plain)
    other, nobody = Client(harness, stranger), Client(Harness(harness.server.features), stranger)
    before = harness.kept()

    replies = [
        each.send_request("tools/call", {"name": name, "arguments": {"task_id": task_id}}) for each in (other, nobody)
    ]

    assert (replies[0].body, harness.kept()) == (replies[1].body, before)
    assert replies[0].message["result"]["isError"]


@requirement("B-TOOL-8")
@pytest.mark.parametrize("name", ["task_result", "task_cancel"])
def test_an_id_whose_time_has_passed_is_the_tools_error(harness: Harness, plain: Client, name: str) -> None:
    task_id = task_handle(harness, plain)
    harness.clock.advance(timedelta(hours=24))

    result = plain.call(name, task_id=task_id)

    assert (result["isError"], "it has expired" in result["content"][0]["text"]) == (True, True)


@requirement("B-TOOL-8", "B-TOOL-6")
@pytest.mark.parametrize("arguments", [{}, {"task_id": 7}, {"task_id": None}, {"id": "x"}])
@pytest.mark.parametrize("name", ["task_result", "task_cancel"])
def test_what_is_no_id_is_the_tools_error(plain: Client, name: str, arguments: Any) -> None:
    result = plain.call(name, **arguments)

    assert (result["isError"], "task_id" in result["content"][0]["text"]) == (True, True)


@requirement("B-TASK-2", "B-BASE-7")
def test_a_call_that_is_repeated_with_its_key_waits_for_the_same_work(harness: Harness, plain: Client) -> None:
    harness.idle = True
    first, second = (
        plain.send_request("tools/call", SUM, meta=KEY).message["result"]["structuredContent"]["task_id"]
        for _ in range(2)
    )

    assert (first, list(harness.executor.started)) == (second, [first])


@requirement("B-TASK-4", "B-ERR-6")
def test_a_tool_that_is_always_a_task_needs_a_client_that_knows_them(harness: Harness, plain: Client) -> None:
    before = harness.kept()

    reply = plain.send_request("tools/call", {"name": "ponder", "arguments": {"question": "why?"}})

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32021, before)
    assert reply.error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}
    assert "ponder" in reply.error["message"]


@requirement("B-TASK-1", "B-TASK-11")
def test_who_learns_of_tasks_later_finds_the_task(harness: Harness, ada: Client, plain: Client) -> None:
    task_id = task_handle(harness, plain)

    assert ada.tasks_get(task_id)["status"] == "working"
    assert ada.call("task_cancel", task_id=task_id)["isError"] is False
    assert ada.tasks_get(task_id)["status"] == "cancelled"


@requirement("B-TASK-2")
@pytest.mark.parametrize("max_hold", [timedelta(seconds=2), timedelta()])
def test_nobody_waits_for_longer_than_the_gateway_does(harness: Harness, plain: Client, max_hold: timedelta) -> None:
    harness.change(max_hold=max_hold)
    task_id = task_handle(harness, plain)
    before = harness.clock.now()
    plain.call("task_result", task_id=task_id)

    assert (before - NOON, harness.clock.now() - before) == (max_hold, max_hold)


@requirement("B-TOOL-1")
@pytest.mark.parametrize("name", ["task_result", "task_cancel"])
def test_no_other_tool_has_these_names(name: str) -> None:
    @tool(name=name)
    def impostor() -> None:
        """Pretend."""

    with pytest.raises(ValueError, match=name):
        Features.of([impostor])
