"""The official clients that have no other revision than 2025-11-25 complete a task, or a call that lasts."""

import pytest

from tests.clients.expected import TASKS, WITHOUT_TASKS
from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]


def test_the_python_client_1_completes_a_task(endpoint: Endpoint) -> None:
    output = python("client", "rev_2025_11_25.python_v1", endpoint)

    assert output == TASKS | {"revision": "2025-11-25", "support": "optional", "failed": "failed"}


def test_langchains_adapter_runs_a_tool_with_a_machine_of_its_own_to_its_end(endpoint: Endpoint) -> None:
    output = python("client_langchain", "rev_2025_11_25.langchain_adapter", endpoint)

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
    output = node("rev_2025_11_25/typescript_v1", endpoint)

    own = {"revision": "2025-11-25", "support": "optional", "failed": "failed", "waited": "Computed cake for 3 s"}
    assert output == TASKS | own


def test_the_inspectors_connection_completes_a_task_of_2025_11_25(inspector: Inspector) -> None:
    connected = inspector.connect("legacy")
    result = inspector.do("tools/call", "slow_compute", "seconds:=1", "label:=tea", "--task")
    (task,) = inspector.do("tasks/list")["tasks"]

    assert connected["protocolEra"] == "legacy"
    assert result["content"] == [{"type": "text", "text": "Computed tea for 1 s"}]
    assert task["status"] == "completed"
    assert inspector.do("tasks/result", task["taskId"]) == result
