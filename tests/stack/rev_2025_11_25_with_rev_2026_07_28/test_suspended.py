"""A task that waits for its client's answer: nothing of it runs, and nothing has to be alive but what is stored."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local.demo import CLIENT
from local.emulator import ROOT
from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.over_http import Client as NewClient
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.stack.internals import execution_status, invocations, invocations_when_idle, kill_functions, processes
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")

SUSPENDED_SECONDS = 3
ANSWERS = "tests.stack.rev_2025_11_25_with_rev_2026_07_28.answers"

# They come whether there are tasks or not: each five minutes, and each minute after an audit record was written.
BY_THE_CLOCK = ("sweep", "anchor_audit")


def start_in_2025(stack: Stack, subject: str) -> str:
    connected = old_client(stack.url, stack.token("acme", subject))
    connected.initialize({"elicitation": {}})
    return connected.start("await_consent")


def start_in_2026(stack: Stack, subject: str) -> str:
    return new_client(stack.url, stack.token("acme", subject)).start("await_consent")


def answer_by(program: str, python: str, stack: Stack, subject: str, task_id: str) -> Any:
    """Let a new process respond to the task's input requests, and return its report."""
    command = [python, "-m", f"{ANSWERS}.{program}", stack.url, stack.token("acme", subject), task_id]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("start", "program", "python"),
    [
        pytest.param(start_in_2025, "official", str(CLIENT), id="2025-11-25", marks=pytest.mark.slow),
        pytest.param(start_in_2026, "update", sys.executable, id="2026-07-28"),
    ],
)
def test_every_process_is_killed_nothing_is_called_and_a_new_client_responds(
    stack: Stack, client_2026: NewClient, subject: str, start: Callable[[Stack, str], str], program: str, python: str
) -> None:
    task_id = start(stack, subject)
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    before = invocations_when_idle(stack)
    killed = kill_functions(stack)
    suspended_at = datetime.now(UTC)
    # There is nothing to wait for: that nothing happens is what is to be seen.
    time.sleep(SUSPENDED_SECONDS)
    alive, calls = processes(stack), invocations(stack) - before
    suspended = datetime.now(UTC) - suspended_at
    swept = sum(calls.pop(name, 0) for name in BY_THE_CLOCK)
    report = answer_by(program, python, stack, subject, task_id)
    task = client_2026.tasks_get(task_id)

    ended = datetime.fromisoformat(task["lastUpdatedAt"]) - datetime.fromisoformat(report["answered_at"])
    counted = f"{sum(calls.values())} calls and {swept} by the clock in {suspended}"
    print(f"{', '.join(sorted(killed))} killed; {counted}; went on within {ended}")  # noqa: T201
    first, second, answer = report["text"].split(" ", 2)
    assert {"serve_mcp", "run_tool", "suspend_task", "on_task_change"} <= killed
    assert all(before[name] for name in killed)
    assert calls == {}
    assert swept or not alive
    assert report["asked"] == ["Really?"]
    assert task["status"] == "completed"
    assert first != second
    assert "really=True" in answer
    until(lambda: execution_status(stack, task_id) == "SUCCEEDED")


def test_a_suspended_task_that_is_cancelled_leaves_nothing_behind(stack: Stack, client_2026: NewClient) -> None:
    task_id = client_2026.start("await_consent")
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    running = execution_status(stack, task_id)
    client_2026.result("tasks/cancel", taskId=task_id)
    until(lambda: execution_status(stack, task_id) == "ABORTED")
    late = {"really": {"action": "accept", "content": {"really": True}}}

    assert running == "RUNNING"
    assert client_2026.result("tasks/update", taskId=task_id, inputResponses=late) == {"resultType": "complete"}
    assert client_2026.tasks_get(task_id)["status"] == "cancelled"


def test_an_input_request_whose_time_is_over_is_answered_by_its_default(stack: Stack, client_2026: NewClient) -> None:
    task_id = client_2026.start("await_consent", seconds=3)
    until(lambda: client_2026.tasks_get(task_id)["status"] == "input_required")
    until(lambda: execution_status(stack, task_id) == "SUCCEEDED")
    task = client_2026.tasks_get(task_id)

    lasted = datetime.fromisoformat(task["lastUpdatedAt"]) - datetime.fromisoformat(task["createdAt"])
    assert task["status"] == "completed"
    assert task["result"]["content"][0]["text"].endswith(" Declined()")
    assert lasted >= timedelta(seconds=3)
