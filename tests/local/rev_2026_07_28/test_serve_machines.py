"""`make serve` runs the state machines of tools as they are synthesised."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.rev_2026_07_28.over_http import client
from tests.serving import EXAMPLES, serving
from tests.timeout import until

SYNTH_SECONDS = 90
"""The first call synthesises the app and loads the interpreter, on a machine that may be busy."""

TOOLS = """
from datetime import timedelta
from mcp_tasks import tool

@tool(machine="broken")
def broken() -> str:
    '''Have a state machine that cannot be imported.'''
    return ""

@tool()
def hello() -> str:
    '''Say hello.'''
    return "hello"

TOOLS = [broken, hello]
"""


def ended(somebody: Any, task_id: str) -> Any:
    """Return the task once it has ended."""
    final = ("completed", "failed", "cancelled")
    return until(lambda: (task := somebody.tasks_get(task_id))["status"] in final and task, within=SYNTH_SECONDS)


def shown(printed: Mapping[str, str]) -> str:
    return Path(printed["terminal"]).read_text()


@pytest.fixture(scope="module")
def somebody() -> Iterator[Any]:
    """A client of tools whose state machines bring resources."""
    own = ("--tools", "tests.harness.tools_with_resources", "--machines", "tests.harness.machines_with_resources")
    with serving(*own) as printed:
        yield client(printed["url"])


def test_a_machine_reaches_what_it_brings(somebody: Any) -> None:
    task = ended(somebody, somebody.start("export", shards=3))

    assert task["result"]["content"][0]["text"] == "shard-1 shard-2 shard-3"


def test_what_cannot_be_made_is_named(somebody: Any) -> None:
    task = ended(somebody, somebody.start("streams"))

    assert "an AWS::Kinesis::Stream" in task["error"]["message"]


@pytest.mark.slow
def test_a_machine_hands_data_to_its_tool_which_asks_in_between() -> None:
    own = ("--tools", "tests.harness.machine_tools", "--machines", "tests.harness.sample_machines")
    with serving(*own) as printed:
        somebody = client(printed["url"])
        task_id = somebody.start("sums", numbers=[1, 2, 3])
        until(lambda: somebody.tasks_get(task_id)["status"] == "input_required", within=SYNTH_SECONDS)
        answer = {"add": {"action": "accept", "content": {"number": 100}}}
        somebody.result("tasks/update", taskId=task_id, inputResponses=answer)

        assert ended(somebody, task_id)["result"]["content"][0]["text"] == "14 114"
        assert "Traceback" not in shown(printed)


def test_a_task_is_cancelled_while_its_machine_waits() -> None:
    with serving(*EXAMPLES) as printed:
        somebody = client(printed["url"])
        task_id = somebody.start("remind_me", after_seconds=600, about="tea")
        until(lambda: f"execution {task_id}: RUNNING" in shown(printed), within=SYNTH_SECONDS)
        somebody.result("tasks/cancel", taskId=task_id)

        assert ended(somebody, task_id)["status"] == "cancelled"
        until(lambda: f"execution {task_id}: ABORTED" in shown(printed))


def test_a_machine_that_cannot_be_synthesised_fails_its_task_and_the_server_lives(tmp_path: Path) -> None:
    machines = tmp_path / "own_machines"
    machines.mkdir()
    (machines / "__init__.py").write_text("")
    (machines / "broken.py").write_text("def work(scope, functions):\n    return 1 +\n")
    (tmp_path / "own_tools.py").write_text(TOOLS)
    with serving("--tools", "own_tools", "--machines", "own_machines", folder=tmp_path) as printed:
        somebody = client(printed["url"])
        task = ended(somebody, somebody.start("broken"))

        assert task["error"]["message"] == "The work failed: its state machine could not be synthesised."
        assert somebody.call("hello")["content"][0]["text"] == "hello"
    assert "SyntaxError" in printed["complaints"]
    assert "broken.py" in printed["complaints"]


SAYS = """
from aws_cdk.aws_stepfunctions import Pass

def work(scope, functions):
    return Pass.jsonata(scope, "Say", outputs="WORD")
"""


@pytest.mark.slow
def test_the_next_task_runs_the_machine_as_it_was_saved(tmp_path: Path) -> None:
    machines = tmp_path / "saved_machines"
    machines.mkdir()
    (machines / "__init__.py").write_text("")
    (tmp_path / "saved_tools.py").write_text(TOOLS)
    with serving("--tools", "saved_tools", "--machines", "saved_machines", folder=tmp_path) as printed:
        somebody = client(printed["url"])
        for word in ("one", "two"):
            (machines / "broken.py").write_text(SAYS.replace("WORD", word))
            task = ended(somebody, somebody.start("broken"))

            assert task["result"]["content"][0]["text"] == word
