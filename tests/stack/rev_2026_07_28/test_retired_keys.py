"""`make rotate-keys` and `make revoke-keys` on a stack whose tasks live: none is lost."""

import re
import subprocess
import sys
from collections.abc import Collection
from urllib.parse import urlsplit

from local.emulator import ROOT
from local.stack import Stack
from mcp_tasks.testing.client import FINAL
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.stack.internals import execution_status, failures, kill_functions
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

YES = {"really": {"action": "accept", "content": {"really": True}}}


def wait(client: Client, task_id: str, statuses: Collection[str] = FINAL) -> None:
    until(lambda: client.tasks_get(task_id)["status"] in statuses)


def respond(client: Client, task_id: str) -> None:
    assert client.send_request("tasks/update", {"taskId": task_id, "inputResponses": YES}).status == 200


def command(stack: Stack, does: str, *more: str) -> str:
    """Run what `make` runs, and return what it prints."""
    run = [sys.executable, "-m", "local", "keys", does, "--port", str(urlsplit(stack.emulator.url).port), *more]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def test_a_key_is_rotated_and_nothing_else_happens(stack: Stack, client_2026: Client) -> None:
    task_id = client_2026.start("await_consent")
    wait(client_2026, task_id, {"input_required"})
    printed = command(stack, "rotate")
    kill_functions(stack)
    respond(client_2026, task_id)
    wait(client_2026, task_id)

    assert re.match(r"\d{4}-\d\d-[0-9a-f]{8} signs from now on", printed)
    assert re.search(r"^[1-9]\d* live tasks go on", printed, re.MULTILINE)
    assert client_2026.tasks_get(task_id)["status"] == "completed"
    assert failures(stack, task_id) == ["TaskSuspended"]


def test_the_keys_are_revoked_and_tasks_that_are_suspended_and_run_go_on(
    stack: Stack, client_2026: Client, work_folder: WorkFolder
) -> None:
    suspended = client_2026.start("await_consent")
    given_up = client_2026.start("await_consent", seconds=20)
    running = client_2026.start("toil", folder=work_folder.folder)
    work_folder.process()
    for task_id in (suspended, given_up):
        wait(client_2026, task_id, {"input_required"})
    command(stack, "revoke")
    # Those that run would believe the key for a minute.
    kill_functions(stack)
    work_folder.enough()
    respond(client_2026, suspended)

    for task_id in (suspended, given_up, running):
        wait(client_2026, task_id)
        assert client_2026.tasks_get(task_id)["status"] == "completed"
        assert execution_status(stack, task_id) in ("RUNNING", "SUCCEEDED")
        assert failures(stack, task_id)[-1:] == ["TicketRevoked"]
