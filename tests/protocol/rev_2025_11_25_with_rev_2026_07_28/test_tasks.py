"""Tasks know no revision: made under one, they are read, awaited and cancelled under the other, in its words."""

from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Failed, InputRequest, Outcome, Returned
from tests.kit import ADA, BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client, common_fields

RELATED = "io.modelcontextprotocol/related-task"
KEY = {"io.github.mcp-task-server/idempotency-key": "order 66"}

DONE = Returned(result={"content": [{"type": "text", "text": "done"}]})
WHY = Returned(result={"content": [{"type": "text", "text": "why"}]}, is_error=True)
NO = Failed(code=1969, message="why")


@requirement("A-TASK-30", "B-TASK-14", "B-DUAL-13")
@pytest.mark.parametrize(
    ("outcome", "words"),
    [(DONE, ("completed", "completed")), (WHY, ("failed", "completed")), (NO, ("failed", "failed"))],
)
@pytest.mark.parametrize("created_by", REVISIONS)
def test_one_outcome_is_named_as_each_revision_names_it(
    harness: Harness, old: Old, new: New, created_by: str, outcome: Outcome, words: tuple[str, str]
) -> None:
    task_id = client(created_by, harness, ADA).start()
    harness.finish(task_id, outcome)

    shown = [each.result("tasks/get", taskId=task_id) for each in (old, new)]

    assert tuple(each["status"] for each in shown) == words
    assert [each.get("statusMessage") for each in shown] == [None if outcome is DONE else "why"] * 2


@requirement("B-DUAL-13", "A-TASK-13", "A-TASK-14", "B-TASK-17")
@pytest.mark.parametrize("created_by", REVISIONS)
def test_a_live_task_is_shown_alike_but_for_the_names_of_its_times(
    harness: Harness, old: Old, new: New, created_by: str
) -> None:
    task_id = client(created_by, harness, ADA).start()
    harness.progress(task_id, 10, "page 3")

    before, after = (each.result("tasks/get", taskId=task_id) for each in (old, new))

    assert before.pop("ttl") == after.pop("ttlMs")
    assert before.pop("pollInterval") == after.pop("pollIntervalMs")
    assert before == common_fields(after)
    assert (before["status"], before["statusMessage"]) == ("working", "page 3")


@requirement("A-TASK-13", "B-TASK-7")
def test_a_task_says_where_it_stands_before_its_tool_does(harness: Harness, old: Old, new: New) -> None:
    task_id = new.start()

    def said_of_it() -> list[Any]:
        return [each.result("tasks/get", taskId=task_id).get("statusMessage") for each in (old, new)]

    assert said_of_it() == ["The work is under way."] * 2
    harness.request_input(task_id, InputRequest(key="folders", method="roots/list", params={}))
    assert said_of_it() == ["An answer is needed."] * 2
    harness.finish(task_id, DONE)
    assert said_of_it() == [None, None]


@requirement("B-DUAL-13", "A-TASK-23", "B-TASK-15")
@pytest.mark.parametrize("name", ["add", "stumble"])
@pytest.mark.parametrize("created_by", REVISIONS)
def test_the_result_of_a_task_is_the_same_in_both(
    harness: Harness, old: Old, new: New, created_by: str, name: str
) -> None:
    arguments: dict[str, Any] = {"numbers": [1, 2]} if name == "add" else {}
    task_id = client(created_by, harness, ADA).start(name, **arguments)
    harness.run(task_id)

    waited, polled = old.result("tasks/result", taskId=task_id), new.tasks_get(task_id)["result"]

    assert (common_fields(waited), waited["_meta"]) == (common_fields(polled), {RELATED: {"taskId": task_id}})


@requirement("B-DUAL-13", "A-TASK-23", "B-TASK-15")
@pytest.mark.parametrize("created_by", REVISIONS)
def test_the_error_of_a_task_is_the_same_in_both(harness: Harness, old: Old, new: New, created_by: str) -> None:
    task_id = client(created_by, harness, ADA).start("refuse")
    harness.run(task_id)

    assert old.error("tasks/result", taskId=task_id) == new.tasks_get(task_id)["error"]


@requirement("B-DUAL-13", "A-TASK-24", "B-TASK-27")
def test_a_task_of_one_is_waited_for_in_the_other(harness: Harness, old: Old, new: New) -> None:
    mine, yours = old.start(), new.start()
    place = old.send_request("tasks/result", {"taskId": yours}).last_event_id
    harness.while_waiting(lambda: harness.run(mine))

    sent = new.send_request("subscriptions/listen", {"notifications": {"taskIds": [mine]}}).notifications(
        "notifications/tasks"
    )
    harness.run(yours)

    assert [(each["taskId"], each["status"]) for each in sent] == [(mine, "completed")]
    assert old.resume(place).response["result"]["_meta"] == {RELATED: {"taskId": yours}}


@requirement("B-DUAL-13", "A-TASK-32")
def test_tasks_of_both_are_listed_where_tasks_are_listed(harness: Harness, old: Old, new: New) -> None:
    tasks = {old.start(), new.start()}

    assert {each["taskId"] for each in old.result("tasks/list")["tasks"]} == tasks


@requirement("B-DUAL-13", "A-TASK-35", "B-TASK-25")
@pytest.mark.parametrize("created_by", REVISIONS)
@pytest.mark.parametrize("cancelled_by", REVISIONS)
def test_a_task_of_either_is_cancelled_in_either(
    harness: Harness, old: Old, new: New, created_by: str, cancelled_by: str
) -> None:
    task_id = client(created_by, harness, ADA).start()

    answer = client(cancelled_by, harness, ADA).result("tasks/cancel", taskId=task_id)

    assert answer.get("status", answer.get("resultType")) == (
        "cancelled" if cancelled_by == "2025-11-25" else "complete"
    )
    assert [each.result("tasks/get", taskId=task_id)["status"] for each in (old, new)] == ["cancelled"] * 2
    assert list(harness.executor.stopped) == [task_id]


@requirement("A-TASK-34", "B-TASK-25", "B-DUAL-13")
@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_cancelling_what_is_final_is_an_error_in_one_and_none_in_the_other(
    harness: Harness, old: Old, new: New, end: str
) -> None:
    task_id = new.start()
    harness.run(task_id) if end == "finish" else old.result("tasks/cancel", taskId=task_id)
    before = harness.kept()

    assert old.error("tasks/cancel", taskId=task_id)["code"] == -32602
    assert new.result("tasks/cancel", taskId=task_id) == {"resultType": "complete"}
    assert harness.kept() == before


@requirement("B-DUAL-13", "B-TASK-13", "A-TASK-12")
def test_a_task_that_asks_waits_for_input_in_both(harness: Harness, old: Old, new: New) -> None:
    task_id = old.start()
    harness.request_input(task_id, InputRequest(key="folders", method="roots/list", params={}))

    before, after = (each.result("tasks/get", taskId=task_id) for each in (old, new))

    assert before["status"] == after["status"] == "input_required"
    assert "inputRequests" not in before
    assert after["inputRequests"] == {"folders": {"method": "roots/list", "params": {}}}


@requirement("A-TASK-42", "B-TASK-11", "B-DUAL-13")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("verb", ["get", "cancel"])
@pytest.mark.parametrize("theirs", REVISIONS)
def test_no_revision_is_a_way_to_the_tasks_of_others(
    harness: Harness, ada: Either, stranger: Caller, verb: str, theirs: str
) -> None:
    task_id = ada.start()
    other = client(theirs, harness, stranger)
    before = harness.kept()

    error = other.error(f"tasks/{verb}", taskId=task_id)

    assert (error["code"], f"no task {task_id!r}" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("A-TASK-44", "B-BASE-7", "B-DUAL-13")
def test_a_key_makes_one_task_whatever_the_call_came_by(harness: Harness, old: Old, new: New) -> None:
    call: dict[str, Any] = {"name": "ponder", "arguments": {"question": "why?"}}

    first = old.result("tools/call", **call, task={}, _meta=KEY)["task"]["taskId"]
    second = new.result("tools/call", **call, _meta=KEY)["taskId"]

    assert (first, list(harness.executor.started)) == (second, [first])


@requirement("A-TASK-44", "B-ERR-10", "B-DUAL-13")
def test_the_limit_of_tasks_is_one_for_both(harness: Harness, old: Old, new: New) -> None:
    for _ in range(10):
        old.start()
        new.start()
    call: dict[str, Any] = {"name": "ponder", "arguments": {"question": "why?"}}

    errors = [old.error("tools/call", **call, task={}), new.error("tools/call", **call)]

    assert errors[0] == errors[1]
    assert errors[0]["data"] == {"reason": "too_many_tasks", "limit": 20, "remaining": 0, "retryAfter": 10}


@requirement("B-TASK-28", "B-TASK-27", "A-TASK-38", "A-PROG-1", "B-DUAL-13")
def test_a_status_message_is_sent_as_status_and_never_as_progress(harness: Harness, old: Old, new: New) -> None:
    task_id = old.start(_meta={"progressToken": "p-1"})
    place = old.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.while_waiting(lambda: harness.report_status(task_id, "sorting"))

    listened = new.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})
    waited = old.resume(place)

    assert [each["statusMessage"] for each in listened.notifications("notifications/tasks")] == ["sorting"]
    assert [each["method"] for each in waited.messages] == ["notifications/tasks/status"]
    assert waited.messages[0]["params"]["statusMessage"] == "sorting"
    assert [each.result("tasks/get", taskId=task_id)["statusMessage"] for each in (old, new)] == ["sorting"] * 2
