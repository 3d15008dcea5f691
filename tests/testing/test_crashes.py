"""A test may have the process crash at any step, and sees every step, whether it ran within a call or in a task."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_tasks import McpError
from mcp_tasks.testing.client import Client, NoResult
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.testing.work import MOST_ATTEMPTS

MISSPELT = """
def test_misspelt(client, harness):
    harness.crash_before("cuont")
    assert client.start_task("count_words", {"text": "a"}).wait().text == "1 words in attempt 1"


def test_reached(client, harness):
    harness.crash_before("count")
    assert client.start_task("count_words", {"text": "a"}).wait().text == "1 words in attempt 2"
"""

CONFTEST = """
import pytest

pytest_plugins = ["mcp_tasks.testing.plugin"]


@pytest.fixture
def tools_module():
    return "tests.testing.sample_tools"
"""


def crash(harness: Harness, when: str, step: str) -> None:
    (harness.crash_before if when == "before" else harness.crash_after)(step)


def test_every_step_of_a_task_is_seen_wherever_it_ran(client: Client, harness: Harness) -> None:
    task = client.start_task("order", {"item": "tea"})

    assert task.wait().text == "tea for 3, number 7"
    assert harness.steps(task.id) == ["price", "book"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["price", "book"])
def test_a_tool_that_starts_inline_survives_a_crash_at_each_step(
    client: Client, harness: Harness, step: str, when: str
) -> None:
    crash(harness, when, step)
    task = client.start_task("order", {"item": "tea"})

    assert task.wait().text == "tea for 3, number 7"
    assert harness.steps(task.id) == ["price", "book"]
    harness.check_crashes()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("tool", ["order", "quote"])
def test_a_call_without_a_task_survives_a_crash_at_each_step(
    harness: Harness, revision: str, tool: str, when: str
) -> None:
    crash(harness, when, "price")
    client = harness.client(revision, tasks=False)

    assert client.call_tool(tool, {"item": "tea"}).text.startswith("tea for 3")
    harness.check_crashes()


def test_each_crash_at_a_step_counts(client: Client, harness: Harness) -> None:
    for _ in range(2):
        harness.crash_before("count")
    harness.crash_after("count")
    task = client.start_task("count_words", {"text": "a"})

    assert task.wait().text == "1 words in attempt 4"
    assert harness.steps(task.id) == ["split", "count"]


def test_a_task_whose_process_crashes_at_each_attempt_fails(client: Client, harness: Harness) -> None:
    for _ in range(MOST_ATTEMPTS):
        harness.crash_before("count")

    with pytest.raises(McpError, match="process that did the work died"):
        client.start_task("count_words", {"text": "a"}).wait()


def test_a_call_whose_process_crashes_each_time_has_no_result(client: Client, harness: Harness) -> None:
    for _ in range(MOST_ATTEMPTS):
        harness.crash_before("price")

    with pytest.raises(NoResult, match="crashed"):
        client.call_tool("quote", {"item": "tea"})


def test_a_crash_that_never_came_is_named_beside_the_steps_that_ran(harness: Harness, revision: str) -> None:
    harness.crash_before("split")
    harness.crash_after("cuont")
    harness.client(revision).start_task("count_words", {"text": "a"}).wait()

    with pytest.raises(AssertionError, match=r"after 'cuont'.*ran: 'split', 'count'") as missing:
        harness.check_crashes()
    assert "before 'split'" not in str(missing.value)


def test_a_test_ends_in_an_error_if_its_crash_never_came(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(MISSPELT)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    each = len(REVISIONS)
    assert re.search(f"{2 * each} passed, {each} errors?", done.stdout)
    assert "no crash came before 'cuont'" in done.stdout
