"""The process that runs a tool is killed: the work is done again, or the task says why it was not."""

import os
import signal

import pytest

from mcp_tasks.testing.client import FINAL
from tests.protocol.rev_2025_11_25.over_http import Client
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def test_a_tool_whose_process_is_killed_is_run_again(ada: Client, work_folder: WorkFolder) -> None:
    task_id = ada.start("toil", folder=work_folder.folder)
    first = work_folder.process(attempt=1)
    os.kill(first, signal.SIGKILL)
    second = work_folder.process(attempt=2)
    work_folder.enough()
    answer, _ = ada.outcome(task_id)

    assert answer["result"]["content"] == [{"type": "text", "text": "attempt 2"}]
    assert ada.get_task(task_id).status == "completed"
    assert second != first


@pytest.mark.slow
def test_a_tool_that_kills_its_process_every_time_fails_with_the_reason(ada: Client, work_folder: WorkFolder) -> None:
    task_id = ada.start("perish", folder=work_folder.folder)
    # Five attempts, and the pauses between them become longer.
    until(lambda: ada.get_task(task_id).status in FINAL, within=60)
    task = ada.result("tasks/get", taskId=task_id)

    assert len(work_folder.processes()) == 5
    assert (task["status"], task["statusMessage"]) == ("failed", "The process that did the work died.")
    assert ada.error("tasks/result", taskId=task_id)["message"] == "The process that did the work died."
