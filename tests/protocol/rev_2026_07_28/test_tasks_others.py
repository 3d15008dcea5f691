"""Tasks: updates, cancellation, rejections and ownership."""

from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import NAME, SERVER, TASKS, VERSION, Client
from tests.protocol.rev_2026_07_28.responses import accept

VERBS = ["get", "update", "cancel"]
RELATED = "io.modelcontextprotocol/related-task"


@requirement("B-TASK-21", "B-TASK-22", "B-RT-1")
@pytest.mark.parametrize("answers", [{}, {"nobody-asked": accept(name="Zoë")}, {"": {}, "x": {"action": "decline"}}])
def test_answers_that_nobody_waits_for_are_taken_and_change_nothing(
    harness: Harness, ada: Client, answers: Any
) -> None:
    task_id = ada.start()
    before = harness.kept()

    reply = ada.send_request("tasks/update", {"taskId": task_id, "inputResponses": answers})

    assert reply.message["result"] == {
        "resultType": "complete",
        "_meta": {SERVER: {"name": "test-server", "version": "1.2.3"}},
    }
    assert harness.kept() == before


@requirement("B-TASK-21", "B-ERR-3")
@pytest.mark.parametrize("answers", [None, [], "x", 7, True])
def test_answers_are_an_object(harness: Harness, ada: Client, answers: Any) -> None:
    task_id = ada.start()
    before = harness.kept()

    error = ada.error("tasks/update", taskId=task_id, inputResponses=answers)

    assert (error["code"], "inputResponses" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-TASK-25", "B-TASK-16")
def test_a_task_is_cancelled_and_its_work_is_stopped(harness: Harness, ada: Client) -> None:
    task_id = ada.start()

    answer = ada.result("tasks/cancel", taskId=task_id)

    assert answer == {"resultType": "complete"}
    assert list(harness.executor.stopped) == [task_id]
    shown = ada.tasks_get(task_id)
    assert shown.keys() == {
        *("resultType", "taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt"),
        *("ttlMs", "pollIntervalMs"),
    }
    assert shown["status"] == "cancelled"


@requirement("B-TASK-25")
def test_a_task_is_cancelled_when_the_executor_is_down(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.executor.down = True

    assert ada.result("tasks/cancel", taskId=task_id) == {"resultType": "complete"}
    assert ada.tasks_get(task_id)["status"] == "cancelled"


@requirement("B-TASK-25", "B-TASK-16")
@pytest.mark.parametrize(("tool", "status"), [("add", "completed"), ("refuse", "failed"), ("ponder", "cancelled")])
def test_cancelling_what_is_final_is_answered_all_the_same(
    harness: Harness, ada: Client, tool: str, status: str
) -> None:
    task_id = ada.start(tool, **{"numbers": []} if tool == "add" else {})
    ada.result("tasks/cancel", taskId=task_id) if tool == "ponder" else harness.run(task_id)
    before = harness.kept()

    assert ada.result("tasks/cancel", taskId=task_id) == {"resultType": "complete"}
    assert (harness.kept(), ada.tasks_get(task_id)["status"]) == (before, status)


@requirement("B-TASK-16", "B-TASK-25")
def test_a_cancelled_task_stays_so_however_its_work_ends(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    ada.result("tasks/cancel", taskId=task_id)
    shown = ada.tasks_get(task_id)

    harness.run(task_id)

    assert ada.tasks_get(task_id) == shown


@requirement("B-TASK-26")
def test_no_notification_cancels_a_task(harness: Harness, ada: Client) -> None:
    created = ada.send_request("tools/call", {"name": "ponder", "arguments": {"question": "?"}}, id=99).message[
        "result"
    ]
    before = harness.kept()

    for params in ({"requestId": 99}, {"taskId": created["taskId"]}, {"requestId": created["taskId"]}):
        envelope = {"_meta": {VERSION: NAME}}
        assert ada.send_notification("notifications/cancelled", params | envelope).status == 202

    assert harness.kept() == before


@requirement("B-TASK-18", "B-TASK-11")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "task_id", ["", "nope", "\x00", "é", "task#1", "../x", "v" * 256, "06gvik3tmra7u1hjgqj4ff755nkosmheqhdg"]
)
def test_an_unknown_task_is_rejected_by_name(harness: Harness, ada: Client, verb: str, task_id: str) -> None:
    ada.start()
    before = harness.kept()

    error = ada.error(f"tasks/{verb}", taskId=task_id, inputResponses={})

    assert (error["code"], f"no task {task_id!r}" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-TASK-18", "B-ERR-3")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("params", [{}, {"taskId": None}, {"taskId": 7}, {"taskId": []}, {"taskId": "v" * 257}])
def test_what_is_no_task_id_is_rejected_as_such(harness: Harness, ada: Client, verb: str, params: Any) -> None:
    before = harness.kept()

    error = ada.error(f"tasks/{verb}", **params, inputResponses={})

    assert (error["code"], "taskId" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-TASK-11", "B-AUTH-6")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("finished", [False, True])
def test_another_callers_task_and_no_task_are_byte_identical_responses(
    harness: Harness, ada: Client, verb: str, stranger: Caller, finished: bool
) -> None:
    task_id = ada.start()
    if finished:
        harness.run(task_id)
    other, nobody = Client(harness, stranger), Client(Harness(harness.server.features), stranger)
    before = harness.kept()

    foreign, missing = (
        client.send_request(f"tasks/{verb}", {"taskId": task_id, "inputResponses": {"x": {}}}, id=1)
        for client in (other, nobody)
    )

    assert (foreign.status, foreign.headers, foreign.body) == (missing.status, missing.headers, missing.body)
    assert (foreign.error["code"], harness.kept()) == (-32602, before)


@requirement("B-TASK-12", "B-ERR-6")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("params", [{}, {"taskId": "nope"}, {"inputResponses": {}}])
def test_who_did_not_declare_tasks_is_rejected_whatever_task_they_mean(
    harness: Harness, ada: Client, plain: Client, verb: str, params: dict[str, Any]
) -> None:
    mine = {"taskId": ada.start()}
    before = harness.kept()

    for about in (params, params | mine):
        reply = plain.send_request(f"tasks/{verb}", about)

        assert (reply.status, reply.error["code"], harness.kept()) == (400, -32021, before)
        assert reply.error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


@requirement("B-TASK-18", "B-TASK-32")
@pytest.mark.parametrize("verb", VERBS)
def test_only_the_params_say_which_task_is_meant(ada: Client, verb: str) -> None:
    meant, other = ada.start(), ada.start()
    meta = {RELATED: {"taskId": other}, "io.modelcontextprotocol/relatedTaskIds": [other], "progressToken": other}

    ada.send_request(f"tasks/{verb}", {"taskId": meant, "inputResponses": {}, "task": other}, meta=meta)

    assert ada.tasks_get(other)["status"] == "working"
    assert ada.tasks_get(meant)["status"] == ("cancelled" if verb == "cancel" else "working")
