"""Cancelling, and what is too large for an item of the table."""

import json

import pytest

from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client
from tests.stack.internals import execution, execution_status, payloads
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def test_work_that_is_cancelled_stops(stack: Stack, ada: Client, work_folder: WorkFolder) -> None:
    task_id = ada.start("toil", folder=work_folder.folder)
    work_folder.process()
    cancelled = ada.result("tasks/cancel", taskId=task_id)
    until(lambda: execution_status(stack, task_id) == "ABORTED")
    # The tool learns of it from its own reports, and nobody runs it again.
    until(lambda: work_folder.left() == 1)

    assert cancelled["status"] == ada.get_task(task_id).status == "cancelled"
    assert len(work_folder.processes()) == 1


def test_arguments_and_a_result_of_any_size_come_and_go_unchanged(stack: Stack, ada: Client) -> None:
    text = "Ελλάδα " * 60_000
    task_id = ada.start("repeat", text=text)
    answer, _ = ada.outcome(task_id)
    found = execution(stack, task_id)
    assert found
    given = stack.client("stepfunctions").describe_execution(executionArn=found["executionArn"])["input"]

    assert answer["result"]["content"][0]["text"] == text
    assert len(payloads(stack, task_id)) == 2
    assert min(payloads(stack, task_id)) > 350 * 1024
    assert set(json.loads(given)) == {"scope", "task", "ticket", "timeout"}


def test_a_large_call_without_a_task_is_answered_at_once(ada: Client) -> None:
    text = "a" * 1_000_000

    assert ada.call("repeat", text=text)["content"][0]["text"] == text
