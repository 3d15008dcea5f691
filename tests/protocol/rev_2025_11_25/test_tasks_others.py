"""Tasks: listing, cancellation, notifications, rejections and ownership."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

RELATED = "io.modelcontextprotocol/related-task"
VERBS = ["get", "result", "cancel"]


def listed(client: Client) -> list[str]:
    pages = [client.result("tasks/list")]
    while "nextCursor" in pages[-1]:
        pages.append(client.result("tasks/list", cursor=pages[-1]["nextCursor"]))
    return [task["taskId"] for page in pages for task in page["tasks"]]


@requirement("A-TASK-31", "A-TASK-32", "A-PAG-1")
@pytest.mark.parametrize("count", [0, 1, 3, 4, 6, 7])
def test_the_pages_of_the_list_hold_every_task_once_newest_first(harness: Harness, ada: Client, count: int) -> None:
    tasks = []
    for _ in range(count):
        tasks.append(ada.start())
        harness.clock.advance(timedelta(seconds=1))
    for task_id in tasks[::2]:
        harness.run(task_id)

    assert listed(ada) == tasks[::-1]


@requirement("A-TASK-32", "A-TASK-22", "A-TASK-13")
def test_a_task_is_listed_as_it_is_shown(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.progress(task_id, 3, "page 1")

    assert ada.result("tasks/list") == {"tasks": [ada.result("tasks/get", taskId=task_id)]}


@requirement("A-PAG-2", "A-TASK-31")
def test_a_cursor_keeps_its_place_while_tasks_come_and_go(harness: Harness, ada: Client) -> None:
    tasks = []
    for _ in range(5):
        tasks.append(ada.start())
        harness.clock.advance(timedelta(milliseconds=1))
    cursor = ada.result("tasks/list")["nextCursor"]
    ada.result("tasks/cancel", taskId=tasks[2])
    late = ada.start()

    for _ in range(2):
        assert [task["taskId"] for task in ada.result("tasks/list", cursor=cursor)["tasks"]] == [tasks[1], tasks[0]]
    assert listed(ada)[0] == late


@requirement("A-TASK-35", "A-TASK-13", "A-TASK-22")
def test_a_task_is_cancelled_before_that_is_answered_and_its_work_is_stopped(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(seconds=1))

    answer = ada.result("tasks/cancel", taskId=task_id)

    assert (answer["taskId"], answer["status"]) == (task_id, "cancelled")
    assert answer["lastUpdatedAt"] > answer["createdAt"]
    assert answer == ada.result("tasks/get", taskId=task_id)
    assert list(harness.executor.stopped) == [task_id]
    assert "_meta" not in answer


@requirement("A-TASK-35")
def test_a_task_is_cancelled_when_the_executor_is_down(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.executor.down = True

    assert ada.result("tasks/cancel", taskId=task_id)["status"] == "cancelled"


@requirement("A-TASK-36", "A-TASK-12")
def test_a_cancelled_task_stays_so_however_its_work_ends(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    answer = ada.result("tasks/cancel", taskId=task_id)

    harness.run(task_id)

    assert ada.result("tasks/get", taskId=task_id) == answer


@requirement("A-TASK-34")
@pytest.mark.parametrize(("tool", "status"), [("add", "completed"), ("stumble", "failed"), ("ponder", "cancelled")])
def test_a_final_task_cannot_be_cancelled(harness: Harness, ada: Client, tool: str, status: str) -> None:
    arguments: Any = {"add": {"numbers": []}, "stumble": {}, "ponder": {"question": "?"}}[tool]
    task_id = ada.result("tools/call", name=tool, arguments=arguments, task={})["task"]["taskId"]
    ada.result("tasks/cancel", taskId=task_id) if tool == "ponder" else harness.run(task_id)
    before = harness.kept()

    error = ada.error("tasks/cancel", taskId=task_id)

    assert (error["code"], status in error["message"], harness.kept()) == (-32602, True, before)


@requirement("A-TASK-37")
def test_cancelling_the_request_that_made_a_task_does_not_cancel_the_task(harness: Harness, ada: Client) -> None:
    created = ada.send_request("tools/call", {"name": "ponder", "arguments": {"question": "?"}, "task": {}}, id=99)
    task_id = created.message["result"]["task"]["taskId"]

    assert ada.send_notification("notifications/cancelled", {"requestId": 99}).status == 202
    assert ada.result("tasks/get", taskId=task_id)["status"] == "working"
    assert harness.executor.stopped == {}


@requirement("A-TASK-38", "A-TASK-13")
def test_changes_are_sent_with_the_whole_task(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.progress(task_id, 1, "page 1")
    live = ada.resume(place)
    shown = ada.result("tasks/get", taskId=task_id)
    harness.run(task_id)
    final = ada.resume(live.last_event_id)

    assert live.notifications("notifications/tasks/status") == [shown]
    assert final.notifications("notifications/tasks/status") == [ada.result("tasks/get", taskId=task_id)]
    assert "_meta" not in shown


@requirement("A-TASK-39", "A-TASK-19")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "task_id", ["", "nope", "\x00", "é", "task#1", "../x", "v" * 256, "06gvik3tmra7u1hjgqj4ff755nkosmheqhdg"]
)
def test_an_unknown_task_is_rejected_by_name(harness: Harness, ada: Client, verb: str, task_id: str) -> None:
    ada.start()
    before = harness.kept()

    error = ada.error(f"tasks/{verb}", taskId=task_id)

    assert (error["code"], f"no task {task_id!r}" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("A-TASK-39")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("params", [{}, {"taskId": None}, {"taskId": 7}, {"taskId": []}, {"taskId": "v" * 257}])
def test_what_is_no_task_id_is_rejected_as_such(harness: Harness, ada: Client, verb: str, params: Any) -> None:
    before = harness.kept()

    error = ada.error(f"tasks/{verb}", **params)

    assert (error["code"], "taskId" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("A-TASK-42", "A-SESS-8")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("finished", [False, True])
def test_another_callers_task_and_no_task_are_byte_identical_responses(
    harness: Harness, ada: Client, verb: str, stranger: Caller, finished: bool
) -> None:
    other = Client(harness, stranger)
    other.initialize()
    task_id = ada.start()
    before_it_was = Harness()
    nobody = Client(before_it_was, stranger)
    nobody.initialize()
    if finished:
        harness.run(task_id)
    before = harness.kept()

    foreign = other.send_request(f"tasks/{verb}", {"taskId": task_id}, id=1)
    missing = nobody.send_request(f"tasks/{verb}", {"taskId": task_id}, id=1)

    assert (foreign.status, foreign.headers, foreign.body) == (missing.status, missing.headers, missing.body)
    assert (foreign.error["code"], harness.kept()) == (-32602, before)


@requirement("A-TASK-42", "A-TASK-32")
def test_nobody_sees_the_tasks_of_others_in_a_list(harness: Harness, ada: Client) -> None:
    clients = [ada, Client(harness, BOB), Client(harness, EVE)]
    for client in clients[1:]:
        client.initialize()
    tasks = [[client.start() for _ in range(4)] for client in clients]

    assert [set(listed(client)) for client in clients] == [set(each) for each in tasks]


@requirement("A-TASK-42", "A-PAG-2")
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_another_callers_cursor_is_no_cursor(harness: Harness, ada: Client, stranger: Caller) -> None:
    for _ in range(4):
        ada.start()
    cursor = ada.result("tasks/list")["nextCursor"]
    other = Client(harness, stranger)
    other.initialize()

    assert other.error("tasks/list", cursor=cursor) == other.error("tasks/list", cursor="forged")
