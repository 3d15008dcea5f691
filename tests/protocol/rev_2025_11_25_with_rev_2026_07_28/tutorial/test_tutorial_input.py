"""The SEP-2663 tutorial, replayed section by section over both wires: sections 7 to 12, from input to errors."""

from typing import Any

import pytest

from mcp_tasks.wire.rev_2025_11_25.adapters import session_store
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.tutorial.handbook import WIRES, Reader
from tests.protocol.rev_2026_07_28.client import ABLE, CAPABILITIES, LEFT_OUT, TASKS

YES = {"action": "accept", "content": {"confirm": True}}


def value(of: str) -> Any:
    return {"action": "accept", "content": {"value": of}}


def text(shown: Any) -> str:
    return str(shown["result"]["content"][0]["text"])


# 7. The in-task input flow: pause, surface, resume


@requirement("B-TASK-13", "B-TASK-20", "B-TASK-21", "B-DUAL-14")
def test_7_a_task_that_asks_shows_it_and_goes_on_with_the_answer(reader: Reader) -> None:
    task_id = reader.start("confirm_delete", filename="a.txt")
    reader.work(task_id)
    shown = reader.get(task_id)
    acknowledged = reader.update(task_id, **{"elicit-1": YES})
    working = reader.get(task_id)
    reader.work(task_id)

    assert (shown["status"], shown["inputRequests"]["elicit-1"]["method"]) == ("input_required", "elicitation/create")
    assert shown["inputRequests"]["elicit-1"]["params"]["message"] == "Delete a.txt?"
    assert (acknowledged, working["status"]) == ({"resultType": "complete"}, "working")
    assert text(reader.get(task_id)) == "deleted"


@requirement("B-TASK-22", "B-TASK-23")
def test_7_of_several_input_requests_each_may_be_answered_by_itself(reader: Reader) -> None:
    task_id = reader.start("multi_input")
    reader.work(task_id)
    both = reader.get(task_id)
    reader.update(task_id, confirm=YES, nobody_asked=YES)
    one = reader.get(task_id)
    reader.update(task_id, name=value("Ada"))
    reader.work(task_id)

    assert [sorted(each["inputRequests"]) for each in (both, one)] == [["confirm", "name"], ["name"]]
    assert (one["status"], text(reader.get(task_id))) == ("input_required", "Ada True")


@requirement("B-TASK-27", "A-SSE-13", "B-DUAL-14")
def test_7_a_session_is_not_asked_a_second_time_by_a_request(harness: Harness) -> None:
    reader = Reader("session", harness)
    task_id = reader.start("confirm_delete", filename="a.txt")
    reader.work(task_id)

    reply = reader.client.resume(reader.last_event_id)

    assert (reply.input_requests, len(reply.notifications("notifications/tasks"))) == ([], 1)
    assert reader.client.send_request("tasks/get", {"taskId": task_id}).input_requests == []


# 8. Notifications, and the G6 filter


@requirement("B-TASK-27", "B-DUAL-14")
def test_8_a_notification_is_what_tasks_get_would_show(reader: Reader) -> None:
    task_id = reader.start("must_be_a_task")
    reader.work(task_id)
    (notifications,) = reader.notifications(task_id)
    shown = reader.get(task_id)

    assert notifications.items() <= shown.items()
    assert (notifications["status"], notifications["result"]) == ("completed", shown["result"])


@requirement("B-TASK-27", "A-SSE-13")
def test_8_a_session_is_sent_each_change_once_on_one_stream_and_nothing_after_the_last(harness: Harness) -> None:
    reader = Reader("session", harness)
    task_id = reader.start("confirm_delete", filename="a.txt")
    other = reader.client.resume(None)
    reader.work(task_id)
    first = [each["status"] for each in reader.notifications(task_id)]
    elsewhere = reader.client.resume(other.last_event_id).messages
    reader.update(task_id, **{"elicit-1": YES})
    reader.work(task_id)
    rest = [each["status"] for each in reader.notifications(task_id)]

    assert (first, elsewhere, rest) == (["input_required"], [], ["completed"])
    assert reader.notifications(task_id) == []
    assert (
        session_store(harness.ports.storage).subscriptions(
            reader.caller.owner_key, f"{reader.client.headers['mcp-session-id']}:tasks"
        )
        == {}
    )


@requirement("B-TASK-28", "A-PROG-1")
def test_8_no_progress_and_no_log_message_is_sent_of_a_task(harness: Harness, reader: Reader) -> None:
    if reader.wire == "session":
        reader.client.result("logging/setLevel", level="debug")
    meta = {"progressToken": "p-1", "io.modelcontextprotocol/logLevel": "debug", CAPABILITIES: ABLE}
    reply = reader.client.send_request(
        "tools/call", {"name": "slow_compute", "arguments": {"label": "x"}, "_meta": meta}
    )
    task_id = reply.response["result"]["taskId"]
    harness.progress(task_id, 50, "half way")
    notifications = reader.notifications(task_id) if reader.wire == "session" else []
    waited = reader.client.send_request("tasks/get", {"taskId": task_id})

    assert reply.messages == [reply.response]
    assert waited.messages == [waited.response]
    assert [each["statusMessage"] for each in notifications] == ["half way"] * len(notifications)
    assert waited.response["result"]["statusMessage"] == "half way"


# 9. Cancellation


@requirement("B-TASK-25", "B-TASK-16")
@pytest.mark.parametrize("asks", [False, True])
def test_9_cancelling_is_acknowledged_and_stops_the_work_asking_or_not(
    harness: Harness, reader: Reader, asks: bool
) -> None:
    task_id = reader.start("confirm_delete", filename="a.txt")
    if asks:
        reader.work(task_id)

    assert reader.cancel(task_id) == {"resultType": "complete"}
    shown = reader.get(task_id)
    assert (shown["status"], list(harness.executor.stopped)) == ("cancelled", [task_id])
    assert shown.keys().isdisjoint({"result", "error", "inputRequests"})
    assert reader.update(task_id, **{"elicit-1": YES}) == {"resultType": "complete"}
    assert reader.get(task_id) == shown


# 10. Tasks and MRTR round trips, and how they compose


@requirement("B-TASK-9", "B-MRTR-9", "B-TASK-23")
def test_10_round_trips_then_a_task_then_an_input_request_of_the_task(harness: Harness) -> None:
    reader = Reader("stateless", harness)
    before = harness.kept()
    key = reader.call("composite")
    target = reader.client.retry(key, "composite", api_key=value("prod"))
    nothing_kept = harness.kept() == before
    created = reader.client.retry(target, "composite", target=value("eu"))
    harness.restart()
    reader.work(created["taskId"])
    shown = reader.get(created["taskId"])
    reader.update(created["taskId"], mid_job=YES)
    reader.work(created["taskId"])

    assert [list(each["inputRequests"]) for each in (key, target)] == [["api_key"], ["target"]]
    assert target["inputRequests"]["target"]["params"]["message"] == "Target for prod?"
    assert (nothing_kept, created["resultType"], list(shown["inputRequests"])) == (True, "task", ["mid_job"])
    assert {"requestState", "inputRequests"}.isdisjoint(created)
    assert "requestState" not in shown
    assert text(reader.get(created["taskId"])) == "eu with prod"


@requirement("B-DUAL-14", "B-TASK-23")
def test_10_a_session_has_no_round_trips_so_the_task_asks_it_all(harness: Harness) -> None:
    reader = Reader("session", harness)
    task_id = reader.start("composite")
    keys = []
    for answer in (value("prod"), value("eu"), YES):
        reader.work(task_id)
        (key,) = reader.get(task_id)["inputRequests"]
        keys.append(key)
        reader.update(task_id, **{key: answer})
    reader.work(task_id)

    assert (keys, text(reader.get(task_id))) == (["api_key", "target", "mid_job"], "eu with prod")


@requirement("B-TASK-8", "B-BASE-6")
def test_10_no_task_is_pinned_to_a_process(harness: Harness, reader: Reader) -> None:
    task_id = reader.start("confirm_delete", filename="a.txt")
    reader.work(task_id)
    harness.restart()
    reader.update(task_id, **{"elicit-1": YES})
    harness.restart()
    reader.work(task_id)

    assert text(reader.get(task_id)) == "deleted"


# 11. Multi-tenancy on the stateless wire


@requirement("B-TASK-11", "A-TASK-42")
@pytest.mark.parametrize("thief", [BOB, EVE])
def test_11_another_callers_task_is_no_task_on_either_wire(harness: Harness, reader: Reader, thief: Any) -> None:
    task_id = reader.start("confirm_delete", filename="a.txt")
    reader.work(task_id)
    other = Reader(reader.wire, harness, thief)
    before = harness.stored()
    about = {"taskId": task_id, "inputResponses": {"elicit-1": YES}}

    codes = [other.client.error(f"tasks/{verb}", **about)["code"] for verb in ("get", "update", "cancel")]

    assert (codes, harness.stored()) == ([-32602] * 3, before)
    assert other.client.resume(other.last_event_id).messages == [] if reader.wire == "session" else True


# 12. Errors to expect


@requirement("B-TASK-4", "B-ERR-6", "A-TASK-6")
@pytest.mark.parametrize("wire", WIRES)
def test_12_a_tool_that_must_be_a_task_names_what_the_client_lacks(harness: Harness, wire: str) -> None:
    stranger = Reader(wire, harness, declares=False)
    error = stranger.client.send_request("tools/call", {"name": "must_be_a_task", "arguments": {}}).response["error"]

    if wire == "stateless":
        assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"extensions": {TASKS: {}}}})
    else:
        # There the field `task` does, too, so that no capability is missing.
        assert (error["code"], "`task`" in error["message"]) == (-32601, True)


@requirement("B-META-2", "B-DUAL-8")
def test_12_a_stateless_request_without_its_envelope_is_rejected(harness: Harness) -> None:
    reply = Reader("stateless", harness).client.send_request(
        "tools/call", {"name": "greet"}, meta={CAPABILITIES: LEFT_OUT}
    )

    assert (reply.status, reply.error["code"], CAPABILITIES in reply.error["message"]) == (400, -32602, True)


@requirement("B-TASK-18", "A-TASK-39")
def test_12_a_task_whose_ttl_has_passed_is_not_found(harness: Harness, reader: Reader) -> None:
    task_id = reader.start("must_be_a_task")
    harness.clock.advance(harness.tasks.get(reader.caller, task_id).ttl)
    reader = Reader(reader.wire, harness)

    error = reader.client.error("tasks/get", taskId=task_id)

    assert (error["code"], task_id in error["message"]) == (-32602, True)


@requirement("B-TASK-25", "B-TASK-16")
def test_12_cancelling_what_has_completed_changes_nothing(harness: Harness, reader: Reader) -> None:
    task_id = reader.start("must_be_a_task")
    reader.work(task_id)
    before = reader.get(task_id)

    assert reader.cancel(task_id) == {"resultType": "complete"}
    assert reader.get(task_id) == before
