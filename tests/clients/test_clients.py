"""The official clients complete a task in their revision, or a call that lasts, against the deployed stack."""

import pytest

from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
in_both_revisions = pytest.mark.parametrize("mode", ERAS)

TASKS = {
    "greeting": "Hello, Ada!",
    "created": "working",
    "settled": "completed",
    "result": "Computed tea for 3 s",
    "failure": "This job always fails",
    "cancelled": "cancelled",
}
"""What a client sees that has tasks."""

# The revisions name differently what ended with an error of the tool's own.
FAILED = {"legacy": "failed", "auto": "completed"}

WITHOUT_TASKS = {
    "greeting": "Hello, Ada!",
    "task_tools": ["task_cancel", "task_list", "task_result"],
    "result": "Computed tea for 3 s",
    "task_handle": "working",
    "fetched": "Dawdled for 3 s",
    "cancelled": "The task is cancelled, and its work is being stopped.",
}
"""What a client sees that has none."""

# What is always a task is refused for want of the member `task`, or of the extension.
REJECTION = {"legacy": -32601, "auto": -32021}

# Of a tool that is always a task.
JOB = [{"type": "text", "text": "Job seven finished"}]


def test_the_python_client_1_completes_a_task(endpoint: Endpoint) -> None:
    output = python("client", "python_v1", endpoint)

    assert output == TASKS | {"revision": "2025-11-25", "support": "optional", "failed": "failed"}


@in_both_revisions
def test_the_python_client_2_completes_a_call_that_becomes_a_task(endpoint: Endpoint, mode: str) -> None:
    output = python("client_v2", "python_v2", endpoint, mode)

    assert output == WITHOUT_TASKS | {"revision": ERAS[mode], "rejection": REJECTION[mode]}


def test_fastmcp_completes_a_task(endpoint: Endpoint) -> None:
    output = python("client_v2", "fastmcp_v4", endpoint)

    assert output == TASKS | {"revision": "2026-07-28"}


def test_langchains_adapter_runs_a_tool_with_a_machine_of_its_own_to_its_end(endpoint: Endpoint) -> None:
    output = python("client_langchain", "langchain_adapter", endpoint)

    cancelled, completed = output.pop("ids")
    assert output == {
        "task_tools": WITHOUT_TASKS["task_tools"],
        "joined": True,
        "waited": True,
        "result": "Reminder after 8 s: the penguins",
        "cancelled": WITHOUT_TASKS["cancelled"],
        "listed": [f"- {cancelled}: remind_me, cancelled", f"- {completed}: remind_me, completed"],
    }


def test_the_typescript_client_1_completes_a_task(endpoint: Endpoint) -> None:
    output = node("typescript_v1", endpoint)

    own = {"revision": "2025-11-25", "support": "optional", "failed": "failed", "waited": "Computed cake for 3 s"}
    assert output == TASKS | own


@in_both_revisions
def test_the_typescript_client_2_completes_a_call_that_becomes_a_task(endpoint: Endpoint, mode: str) -> None:
    output = node("typescript_v2", endpoint, mode)

    assert output == WITHOUT_TASKS | {"revision": ERAS[mode], "rejection": REJECTION[mode]}


@in_both_revisions
def test_the_tasks_package_of_typescript_completes_a_task(endpoint: Endpoint, mode: str) -> None:
    output = node("ext_tasks", endpoint, mode)

    assert output == TASKS | {"revision": ERAS[mode], "failed": FAILED[mode]}


@in_both_revisions
def test_the_inspectors_command_completes_a_task(inspector: Inspector, mode: str) -> None:
    result = inspector.once(mode, "external_job", job_id="seven")

    assert result["content"] == JOB


def test_the_inspectors_connection_completes_a_task_of_2025_11_25(inspector: Inspector) -> None:
    connected = inspector.connect("legacy")
    result = inspector.do("tools/call", "slow_compute", "seconds:=1", "label:=tea", "--task")
    (task,) = inspector.do("tasks/list")["tasks"]

    assert connected["protocolEra"] == "legacy"
    assert result["content"] == [{"type": "text", "text": "Computed tea for 1 s"}]
    assert task["status"] == "completed"
    assert inspector.do("tasks/result", task["taskId"]) == result


def test_the_inspectors_connection_completes_a_task_of_2026_07_28(inspector: Inspector) -> None:
    connected = inspector.connect("modern")
    result = inspector.do("tools/call", "external_job", "job_id:=seven")

    assert connected["protocolEra"] == "modern"
    assert result["content"] == JOB
