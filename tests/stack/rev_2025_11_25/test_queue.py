"""A task beyond what its tenant may run waits for its turn, says so, and runs once a slot is free; or is cancelled."""

from collections.abc import Callable

import pytest

from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client, client
from tests.stack.internals import execution
from tests.stack.tenants import shown
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged", "no_fallbacks_used")

TENANT = "queueing-2025"
NEXT = "Waiting for its turn: 0 of your tasks come before it."
AFTER_ONE = "Waiting for its turn: 1 of your tasks comes before it."


@pytest.fixture
def queueing(stack: Stack, subject: str) -> Client:
    """A client of a tenant that may run one task at a time."""
    shown(stack, TENANT, "--set", "running_tasks=1 subject_share=1")
    connected = client(stack.url, stack.token(TENANT, subject))
    connected.initialize()
    return connected


@pytest.fixture
def status(queueing: Client) -> Callable[[str], tuple[str, str | None]]:
    def read(task_id: str) -> tuple[str, str | None]:
        task = queueing.result("tasks/get", taskId=task_id)
        return task["status"], task.get("statusMessage")

    return read


def test_tasks_beyond_what_may_run_wait_and_run_in_their_order_and_a_cancelled_one_leaves_the_line(
    stack: Stack,
    queueing: Client,
    status: Callable[[str], tuple[str, str | None]],
    work_folders: list[WorkFolder],
) -> None:
    created = [
        queueing.result("tools/call", name="toil", arguments={"folder": each.folder}, task={})["task"]
        for each in work_folders
    ]
    first, second, third, fourth = (task["taskId"] for task in created)
    work_folders[0].process()

    assert [task.get("statusMessage") for task in created[1:3]] == [NEXT, AFTER_ONE]
    assert (status(second), status(third)) == (("working", NEXT), ("working", AFTER_ONE))
    assert queueing.result("tasks/cancel", taskId=second)["status"] == "cancelled"
    assert status(third) == ("working", NEXT)

    work_folders[0].enough()
    work_folders[2].process()

    assert status(first)[0] == "completed"
    assert status(fourth) == ("working", NEXT)
    assert (work_folders[1].processes(), work_folders[3].processes()) == ({}, {})
    assert execution(stack, second) is None

    for each in work_folders:
        each.enough()
    answer, _ = queueing.outcome(fourth)

    assert answer["result"]["content"][0]["text"] == "attempt 1"
    until(lambda: [status(each)[0] for each in (third, fourth)] == ["completed", "completed"])
    assert shown(stack, TENANT)["used"]["active_tasks"] == 0
