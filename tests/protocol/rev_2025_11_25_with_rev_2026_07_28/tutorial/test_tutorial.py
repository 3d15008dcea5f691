"""The SEP-2663 tutorial, replayed section by section over both wires: sections 1 to 6, from the call to the last state.

Where this server differs from the one that the tutorial describes, the test shows this server.
"""

from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.tutorial.handbook import SERVER_CHOSEN, WIRES, Reader
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, KNOWS_TASKS, TASKS


@pytest.fixture(params=WIRES)
def stranger(request: pytest.FixtureRequest, harness: Harness) -> Reader:
    """A client that does not declare the extension."""
    return Reader(request.param, harness, declares=False)


def text(result: Any) -> str:
    return str(result["content"][0]["text"])


# 1. The core idea: server-directed async execution


@requirement("B-TASK-3", "B-DUAL-14")
def test_1_the_server_decides_and_the_client_gives_no_hint(reader: Reader) -> None:
    assert text(reader.call("greet", name="Ada")) == "Hello, Ada!"
    assert reader.call("slow_compute", label="x")["resultType"] == "task"
    assert reader.call("must_be_a_task")["resultType"] == "task"


@requirement("B-TASK-2", "A-TASK-5", "A-TASK-6")
def test_1_without_the_extension_what_is_optional_runs_without_a_task_and_what_is_required_is_rejected(
    harness: Harness, stranger: Reader
) -> None:
    harness.idle = False
    rejected = stranger.client.send_request("tools/call", {"name": "must_be_a_task", "arguments": {}}).response["error"]

    assert text(stranger.client.call("slow_compute", label="x")) == "computed x"
    assert rejected["code"] == (-32021 if stranger.wire == "stateless" else -32601)


@requirement("B-MRTR-1", "A-ELI-2")
def test_1_a_tool_that_only_needs_an_answer_makes_no_task_for_it(harness: Harness, reader: Reader) -> None:
    answer = {"action": "accept", "content": {"value": "blue"}}
    if reader.wire == "stateless":
        pending = reader.call("quick_interactive")
        result = reader.client.retry(pending, "quick_interactive", answer=answer)
    else:
        # A session has no MRTR round trips: the input request is a request on the stream of the call.
        harness.idle = False
        reply = reader.client.send_request("tools/call", {"name": "quick_interactive", "arguments": {}})
        reader.client.respond(reply.input_requests[0], answer)
        result = reader.client.resume(reply.last_event_id).response["result"]

    assert (text(result), "taskId" in result) == ("this one: blue", False)


# 2. Wire shape


@requirement("B-TASK-6", "B-TASK-7", "B-DUAL-14")
def test_2_a_handle_is_flat_and_carries_nothing_of_what_is_to_come(reader: Reader) -> None:
    created = reader.call("must_be_a_task")

    assert created.keys() >= SERVER_CHOSEN
    assert created.keys().isdisjoint({"task", "result", "error", "inputRequests", "requestState"})
    assert (created["resultType"], created["status"]) == ("task", "working")
    # In a session it is a result of that revision as well, for clients that declare the extension and ignore it.
    assert ("content" in created) is (reader.wire == "session")


@requirement("B-TASK-13", "B-TASK-15", "B-TASK-21", "B-TASK-25")
def test_2_a_task_is_shown_with_its_result_inlined_and_without_placeholders(reader: Reader) -> None:
    task_id = reader.start("must_be_a_task")
    working = reader.get(task_id)
    reader.work(task_id)
    completed = reader.get(task_id)

    assert (working["status"], working.keys() & {"result", "error", "inputRequests"}) == ("working", set())
    assert (completed["status"], text(completed["result"])) == ("completed", "done")
    assert completed["resultType"] == completed["result"]["resultType"] == "complete"
    assert completed.keys().isdisjoint({"error", "inputRequests"})


# 3. Server-directed task creation


@requirement("B-TASK-1", "B-DISC-3", "B-DUAL-14")
def test_3_the_server_says_that_it_has_the_extension(reader: Reader) -> None:
    server = reader.client.result("server/discover") if reader.wire == "stateless" else reader.initialized

    assert server["capabilities"]["extensions"] == {TASKS: {}}


@requirement("B-TASK-2", "B-BASE-5", "B-DUAL-14")
def test_3_a_request_may_declare_it_for_itself(harness: Harness, stranger: Reader) -> None:
    call = {"name": "must_be_a_task", "arguments": {}}
    meta = {"_meta": {CAPABILITIES: KNOWS_TASKS}}
    created = stranger.client.send_request("tools/call", call | meta).response["result"]
    polled = stranger.client.send_request("tasks/get", {"taskId": created["taskId"], **meta}).response["result"]
    undeclared = stranger.client.send_request("tasks/update", {"taskId": created["taskId"], "inputResponses": {}})

    assert (created["resultType"], polled["resultType"]) == ("task", "complete")
    assert undeclared.response["error"]["code"] == (-32021 if stranger.wire == "stateless" else -32601)


# 4. The GoAsync return and the middleware's peek: `continue_as_task` and `starts_inline`


@requirement("B-TASK-3", "B-TASK-7")
def test_4_what_returns_at_once_is_a_task_that_is_created_final(harness: Harness, reader: Reader) -> None:
    created = reader.call("cached", key="hit")

    assert (created["status"], harness.executor.started) == ("completed", {})
    assert text(reader.get(created["taskId"])["result"]) == "from the cache"


@requirement("B-TASK-3", "B-TASK-9")
def test_4_a_call_that_continues_as_a_task_is_replayed_past_continue_as_task(reader: Reader) -> None:
    task_id = reader.start("cached", key="miss")
    assert reader.get(task_id)["status"] == "working"
    reader.work(task_id)

    assert text(reader.get(task_id)["result"]) == "computed"


# 5. The in-task API


@requirement("B-TASK-27", "B-TASK-28", "B-DUAL-14")
def test_5_a_status_message_is_sent_and_is_no_progress(harness: Harness, reader: Reader) -> None:
    task_id = reader.start("milestones")
    harness.report_status(task_id, "unpacking")

    if reader.wire == "stateless":
        harness.while_waiting(lambda: harness.report_status(task_id, "sorting"))
    else:
        harness.report_status(task_id, "sorting")
    (notifications,) = reader.notifications(task_id)

    assert (notifications["status"], notifications["statusMessage"]) == ("working", "sorting")
    assert reader.get(task_id)["statusMessage"] == "sorting"


# 6. Task lifecycle: states and transitions


@requirement("B-TASK-16", "B-TASK-14")
@pytest.mark.parametrize(
    ("name", "status", "field"),
    [
        ("must_be_a_task", "completed", "result"),
        ("failing_job", "completed", "result"),
        ("protocol_error_job", "failed", "error"),
    ],
)
def test_6_a_tool_that_fails_has_completed_and_a_call_that_fails_has_failed(
    reader: Reader, name: str, status: str, field: str
) -> None:
    task_id = reader.start(name)
    reader.work(task_id)
    shown = reader.get(task_id)

    assert (shown["status"], shown.keys() & {"result", "error"}) == (status, {field})
    assert shown.get("error", {"code": -32603})["code"] == -32603
    assert shown.get("result", {}).get("isError", False) is (name == "failing_job")


@requirement("B-TASK-16", "B-TASK-25")
def test_6_what_is_final_stays_as_it_is(harness: Harness, reader: Reader) -> None:
    task_id = reader.start("must_be_a_task")
    reader.cancel(task_id)
    before = reader.get(task_id)
    reader.work(task_id)

    assert (before["status"], reader.get(task_id)) == ("cancelled", before)
    assert reader.cancel(task_id) == {"resultType": "complete"}
