"""`make check-deploy` on a stack with a task that waits for its user."""

import socket
import subprocess
import sys
from urllib.parse import urlsplit

from local.emulator import ROOT
from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import Client
from tests.timeout import until


def check_deploy(port: int | None, *more: str) -> subprocess.CompletedProcess[str]:
    """Run what `make` runs."""
    command = [
        sys.executable,
        "-m",
        "local.check_deploy",
        "--stack",
        "McpTaskExamples-local",
        "--port",
        str(port),
        *more,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_the_tools_that_are_deployed_break_no_task_and_others_break_those_that_they_are_not_of(
    stack: Stack, client_2026: Client
) -> None:
    task_id = client_2026.start("await_consent")
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    port = urlsplit(stack.url).port

    same = check_deploy(port, "--tools", "tests.stack.sample_tools")
    other = check_deploy(port, "--tools", "tools")

    assert (same.returncode, task_id in same.stdout) == (0, False), f"{same.stdout}{same.stderr}"
    assert "of which 0 would fail under the code here." in same.stdout
    assert other.returncode == 1
    assert f"{task_id} (await_consent): There is no tool named await_consent any more." in other.stdout
    assert client_2026.tasks_get(task_id)["status"] == "input_required"


def test_without_a_stack_it_says_so_in_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        done = check_deploy(free.getsockname()[1], "--tools", "tests.stack.sample_tools")

    assert done.returncode == 1
    assert done.stderr.startswith("The tasks cannot be read: nothing answers at http://127.0.0.1:")
    assert "Traceback" not in done.stderr
