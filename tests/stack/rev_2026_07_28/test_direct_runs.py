"""A tool without a state machine: it runs by an event, and again by the sweep where its process is killed."""

import os
import signal

import pytest

from local.stack import Stack
from mcp_tasks.limits.waits import FIRST_CHECK, RUN_LEASE
from mcp_tasks.testing.client import FINAL
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.stack.internals import execution, function
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


@pytest.mark.usefixtures("no_fallbacks_used")
def test_a_tool_without_a_state_machine_runs_once_and_by_no_execution(
    stack: Stack, client_2026: Client, work_folder: WorkFolder
) -> None:
    task_id = client_2026.start("toil_direct", folder=work_folder.folder)
    work_folder.process()
    work_folder.enough()
    until(lambda: client_2026.tasks_get(task_id)["status"] in FINAL)

    assert client_2026.tasks_get(task_id)["result"]["content"] == [{"type": "text", "text": "attempt 1"}]
    assert execution(stack, task_id) is None
    assert set(work_folder.processes()) == {1}


@pytest.mark.slow
def test_a_tool_whose_process_is_killed_is_run_again_by_the_sweep(
    stack: Stack, client_2026: Client, work_folder: WorkFolder
) -> None:
    task_id = client_2026.start("toil_direct", folder=work_folder.folder)
    first = work_folder.process(attempt=1)
    os.kill(first, signal.SIGKILL)

    def again() -> bool:
        stack.client("lambda").invoke(FunctionName=function(stack, "sweep"), Payload=b"{}")
        return 2 in work_folder.processes()

    # Nobody takes the place of a run before its lease is over.
    until(again, within=(FIRST_CHECK + RUN_LEASE).total_seconds())
    second = work_folder.process(attempt=2)
    work_folder.enough()
    until(lambda: client_2026.tasks_get(task_id)["status"] in FINAL)

    assert client_2026.tasks_get(task_id)["result"]["content"] == [{"type": "text", "text": "attempt 2"}]
    assert second != first
