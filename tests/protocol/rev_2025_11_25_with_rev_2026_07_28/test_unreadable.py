"""What a client sees of items that are damaged, or that a newer release wrote."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.tasks.model import Returned
from tests.protocol.all_features import ALL
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import Either, New, Old
from tests.protocol.unreadable import NEWER, TableHarness, fallbacks, on_the_table

DONE = Returned(result={"content": [{"type": "text", "text": "done"}]})
UNREADABLE = pytest.mark.parametrize(
    ("changes", "said"),
    [
        (NEWER, "A newer release of this server stored this, and only that one can read it: try again later."),
        (
            {"details": {"S": "SECRET"}},
            "What is stored of this is damaged, and cannot be read until the server's operator has repaired it.",
        ),
    ],
    ids=["newer", "damaged"],
)


@pytest.fixture
def harness() -> Iterator[TableHarness]:
    with on_the_table(ALL) as found:
        yield found


@requirement("B-ERR-4", "A-TASK-32")
@UNREADABLE
@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel"])
def test_a_task_that_cannot_be_read_is_refused_in_words_and_logged_once(
    harness: TableHarness, ada: Either, changes: Item, said: str, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = ada.start()
    harness.spoil(f"task#{task_id}", changes)

    replies = [ada.send_request(method, {"taskId": task_id}) for _ in range(3)]

    assert [reply.error for reply in replies] == [{"code": -32603, "message": f"Internal error: {said}"}] * 3
    assert caplog.text.count(f"item task#{task_id} ") == 1
    assert fallbacks(caplog) == {"unreadable_item"}
    assert "SECRET" not in caplog.text


@requirement("A-TASK-32")
def test_a_list_leaves_out_a_task_that_is_damaged(harness: TableHarness, old: Old) -> None:
    kept, lost = old.start(), old.start()
    harness.spoil(f"task#{lost}", {"state": {"S": "odd"}})

    assert [each["taskId"] for each in old.result("tasks/list")["tasks"]] == [kept]


@requirement("B-SUB-1", "B-SUB-4")
def test_a_listener_is_notified_of_the_tasks_whose_outcome_can_be_read(
    harness: TableHarness, new: New, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = [new.start() for _ in range(2)]
    for each in tasks:
        harness.finish(each, DONE)
    harness.clock.advance(timedelta(seconds=30))
    harness.spoil(f"result#{tasks[0]}", NEWER)

    reply = new.send_request("subscriptions/listen", {"notifications": {"taskIds": tasks}})

    assert [each["taskId"] for each in reply.notifications("notifications/tasks")] == [tasks[1]]
    assert fallbacks(caplog) == {"unreadable_item"}
