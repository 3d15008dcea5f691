"""A task whose result is gone has one status in lists and when it is read, and an error in place of its result."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mcp_tasks.tasks.model import Failed, Outcome, Returned
from tests.protocol.all_features import ALL
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import New, Old
from tests.protocol.unreadable import TableHarness, fallbacks, on_the_table

TASKS: Final = "io.modelcontextprotocol/tasks"
DAMAGED: Final = "What is stored of this is damaged, and cannot be read until the server's operator has repaired it."
LARGE: Final = "SECRET" * 2_000
RETURNED: Final = Returned(result={"content": [{"type": "text", "text": LARGE}]})
FAILED: Final = Failed(code=-32000, message="no", data={"why": LARGE})
SHOWN: Final[Any] = {"resultType": "complete", "content": [{"type": "text", "text": DAMAGED}], "isError": True}

ENDED = pytest.mark.parametrize(
    ("outcome", "status", "shown"),
    [
        (RETURNED, "completed", {"result": SHOWN}),
        (FAILED, "failed", {"error": {"code": -32603, "message": DAMAGED}}),
    ],
    ids=["completed", "failed"],
)


@pytest.fixture
def harness() -> Iterator[TableHarness]:
    with on_the_table(ALL) as found:
        yield found


def lost(harness: TableHarness, client: Old | New, outcome: Outcome) -> str:
    """Return the id of a task that ended so, and whose result is gone."""
    task_id = str(client.start())
    harness.finish(task_id, outcome)
    harness.lose_objects()
    return task_id


def listed(client: Old | New) -> list[str]:
    return [each["status"] for each in client.call("task_list")["structuredContent"]["tasks"]]


@requirement("B-TASK-13", "B-TASK-14")
@ENDED
def test_a_lost_result_leaves_the_status_of_2026_07_28_in_lists_and_when_read(
    harness: TableHarness, new: New, outcome: Outcome, status: str, shown: Any, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = lost(harness, new, outcome)

    read = [new.result("tasks/get", taskId=task_id) for _ in range(2)]
    told = new.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})

    assert [each["status"] for each in read] == [status] * 2
    assert listed(new) == [status]
    assert [{name: each[name] for name in ("result", "error") if name in each} for each in read] == [shown] * 2
    (notified,) = told.notifications("notifications/tasks")
    assert (notified["status"], {name: notified[name] for name in shown}) == (status, shown)
    assert fallbacks(caplog) == {"unreadable_item"}
    assert caplog.text.count("cannot be read") == 1
    assert "SECRET" not in caplog.text


@requirement("A-TASK-20", "A-TASK-32")
@ENDED
def test_a_lost_result_leaves_the_status_of_2025_11_25_and_tasks_result_is_the_error(
    harness: TableHarness, old: Old, outcome: Outcome, status: str, shown: Any
) -> None:
    task_id = lost(harness, old, outcome)

    assert old.result("tasks/get", taskId=task_id)["status"] == status
    assert [each["status"] for each in old.result("tasks/list")["tasks"]] == [status]
    assert listed(old) == [status]
    assert old.error("tasks/result", taskId=task_id) == {"code": -32603, "message": f"Internal error: {DAMAGED}"}


@requirement("B-DUAL-14")
@ENDED
def test_a_lost_result_leaves_the_status_of_the_extension_in_2025_11_25(
    harness: TableHarness, outcome: Outcome, status: str, shown: Any
) -> None:
    harness.idle = True
    old = Old(harness)
    old.initialize({"extensions": {TASKS: {}}})
    task_id = str(old.result("tools/call", name="ponder", arguments={"question": "why?"})["taskId"])
    harness.finish(task_id, outcome)
    harness.lose_objects()

    read = old.result("tasks/get", taskId=task_id)

    assert (read["status"], {name: read[name] for name in shown}) == (status, shown)
    assert [each["status"] for each in old.result("tasks/list")["tasks"]] == [status]
    assert listed(old) == [status]
