"""Most side effects have a direct path and fallbacks: here the direct path works, or a test fails."""

import pytest

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.stack.internals import execution_status, failures, invocations, without_concurrency, without_table_stream
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged", "no_fallbacks_used")


def test_work_starts_resumes_and_stops_without_the_tables_stream(stack: Stack, client_2026: Client) -> None:
    consent = {"really": {"action": "accept", "content": {"really": True}}}
    with without_table_stream(stack):
        invoked = invocations(stack)["on_task_change"]
        suspended, cancelled = client_2026.start("await_consent"), client_2026.start("await_consent")
        until(
            lambda: (
                client_2026.tasks_get(suspended)["status"]
                == client_2026.tasks_get(cancelled)["status"]
                == "input_required"
            )
        )
        client_2026.result("tasks/update", taskId=suspended, inputResponses=consent)
        client_2026.result("tasks/cancel", taskId=cancelled)
        until(lambda: client_2026.tasks_get(suspended)["status"] == "completed")
        until(lambda: execution_status(stack, cancelled) == "ABORTED")

        assert invocations(stack)["on_task_change"] == invoked


def test_a_task_waits_out_a_function_that_has_no_room_and_is_then_run(stack: Stack, client_2026: Client) -> None:
    with without_concurrency(stack, "run_tool"):
        task_id = client_2026.start("repeat", text="at last")
        until(lambda: len(failures(stack, task_id)) == 2)
        waiting = client_2026.tasks_get(task_id)["status"]
    until(lambda: client_2026.tasks_get(task_id)["status"] == "completed")

    assert waiting == "working"
    assert client_2026.tasks_get(task_id)["result"]["content"] == [{"type": "text", "text": "at last"}]
    assert set(failures(stack, task_id)) == {"Lambda.TooManyRequestsException"}
