"""Input requests without a response: cancelled with their task, or timed out."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import KEPT
from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, status, suspended, update
from tests.protocol.task_input_tools import HOUR

SECOND = timedelta(seconds=1)


@requirement("B-TASK-25", "B-TASK-16", "B-TASK-22")
def test_cancelling_a_task_that_asks_ends_it_at_once(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)

    assert ada.result("tasks/cancel", taskId=task_id) == {"resultType": "complete"}
    shown = ada.tasks_get(task_id)
    update(ada, task_id, title=MOON)
    harness.run(task_id)

    assert (shown["status"], "inputRequests" in shown, list(harness.executor.stopped)) == (
        "cancelled",
        False,
        [task_id],
    )
    assert ada.tasks_get(task_id) == shown


@requirement("B-TASK-16", "B-TASK-22")
@pytest.mark.parametrize(("default", "says"), [(True, "Declined"), (False, "Nobody answered 'consent' in time.")])
def test_an_input_request_that_nobody_answers_in_time_ends_as_its_author_chose(
    harness: Harness, ada: Client, default: bool, says: str
) -> None:
    task_id = suspended(ada, "hurry", default=default)
    harness.clock.advance(HOUR - SECOND)
    harness.run(task_id)
    before = open_requests(ada, task_id)
    harness.clock.advance(SECOND)
    harness.run(task_id)

    assert (list(before), status(ada, task_id), result_text(ada, task_id)) == (["consent"], "completed", says)
    assert ada.tasks_get(task_id)["result"]["isError"] is not default
    shown = ada.tasks_get(task_id)
    update(ada, task_id, consent=YES)
    assert ada.tasks_get(task_id) == shown


@requirement("B-TASK-17", "B-TASK-16", "B-TASK-18")
def test_without_a_time_of_its_own_it_lasts_until_shortly_before_the_task_is_gone(
    harness: Harness, ada: Client
) -> None:
    task_id = suspended(ada)
    ttl = timedelta(milliseconds=ada.tasks_get(task_id)["ttlMs"])
    harness.clock.advance(ttl - KEPT - SECOND)
    harness.run(task_id)
    before = status(ada, task_id)
    harness.clock.advance(SECOND)
    harness.run(task_id)

    assert (before, result_text(ada, task_id)) == ("input_required", "Nobody answered 'title' in time.")
    harness.clock.advance(KEPT)
    error = ada.error("tasks/update", taskId=task_id, inputResponses={"title": MOON})
    assert (error["code"], "no task" in error["message"]) == (-32602, True)


@requirement("B-TASK-27", "B-TASK-16")
def test_a_listener_is_notified_of_the_end(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    harness.clock.advance(timedelta(seconds=20))
    harness.while_waiting(lambda: ada.result("tasks/cancel", taskId=task_id))

    (sent,) = ada.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}}).notifications(
        "notifications/tasks"
    )

    assert (sent["status"], "inputRequests" in sent) == ("cancelled", False)
