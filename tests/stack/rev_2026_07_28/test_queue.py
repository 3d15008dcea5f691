"""A task beyond what its tenant may run waits for its turn, says so, and runs once a slot is free."""

import pytest

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.stack.tenants import shown
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged", "no_fallbacks_used")

TENANT = "queueing"
NEXT = "Waiting for its turn: 0 of your tasks come before it."
AFTER_ONE = "Waiting for its turn: 1 of your tasks comes before it."


def status(ada: Client, task_id: str) -> tuple[str, str | None]:
    task = ada.tasks_get(task_id)
    return task["status"], task.get("statusMessage")


def test_a_third_task_of_two_that_may_run_waits_and_runs_when_one_ends(
    stack: Stack, subject: str, work_folders: list[WorkFolder]
) -> None:
    shown(stack, TENANT, "--set", "running_tasks=2 subject_share=1")
    ada = client(stack.url, stack.token(TENANT, subject))
    first, second, third, fourth = [ada.start("toil", folder=each.folder) for each in work_folders]
    for each in work_folders[:2]:
        each.process()

    assert (status(ada, third), status(ada, fourth)) == (("working", NEXT), ("working", AFTER_ONE))
    assert [each.processes() for each in work_folders[2:]] == [{}, {}]

    work_folders[1].enough()
    work_folders[2].process()

    assert status(ada, second)[0] == "completed"
    assert status(ada, fourth) == ("working", NEXT)
    assert work_folders[3].processes() == {}

    for each in work_folders:
        each.enough()
    until(lambda: {status(ada, each)[0] for each in (first, second, third, fourth)} == {"completed"})

    used = shown(stack, TENANT)["used"]
    assert used["active_tasks"] == 0
