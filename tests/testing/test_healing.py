"""What heals on AWS heals in a test: the stream and the sweep reconcile, and work that takes too long is ended."""

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import McpError
from mcp_tasks.features.listing import Features
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness
from mcp_tasks.testing.work import NoStateMachine, ProcessCrashed, StateMachine


@pytest.fixture
def crashes() -> int:
    """How often the process crashes where it starts an execution."""
    return 0


@pytest.fixture
def state_machines(crashes: int) -> Mapping[str, StateMachine]:
    ends = iter(["crash"] * crashes)

    def wait(arguments: Mapping[str, Any]) -> timedelta:
        if next(ends, None):
            raise ProcessCrashed
        return timedelta(hours=arguments["hours"])

    return {"after_a_while": wait}


@pytest.fixture(autouse=True)
def sleep_in_simulated_time(monkeypatch: pytest.MonkeyPatch, harness: Harness) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: harness.advance(seconds=seconds))


def test_a_tool_may_take_as_long_as_its_timeout(client: Client) -> None:
    assert client.start_task("work_for", {"minutes": 4}).wait().text == "worked for 4 minutes"


def test_a_run_that_takes_longer_is_ended(client: Client) -> None:
    task = client.start_task("work_for", {"minutes": 6})

    with pytest.raises(McpError, match="did not end in time"):
        task.wait()


def test_a_state_machine_that_takes_longer_is_ended(client: Client, harness: Harness) -> None:
    began = harness.clock.now()
    task = client.start_task("remind", {"hours": 72})

    with pytest.raises(McpError, match="did not end within 2 days"):
        task.wait()
    assert timedelta(days=2) < harness.clock.now() - began < timedelta(days=2, hours=1)


@pytest.mark.parametrize("crashes", [1, 4])
def test_a_task_is_started_though_its_process_crashed_before_that(harness: Harness, revision: str) -> None:
    task = harness.client(revision).start_task("remind", {"hours": 1})
    harness.advance(hours=1, minutes=10)

    assert task.status == "completed"
    listed = harness.client(revision, tasks=False).call_tool("task_list").structured["tasks"]
    assert len(listed) > 1, "the one whose process crashed, and that of the call which was repeated"
    assert {each["status"] for each in listed} == {"completed"}


def test_a_state_machine_that_the_test_does_not_replace_is_named(tools_module: str, revision: str) -> None:
    harness = Harness(Features.of_module(tools_module))

    with pytest.raises(NoStateMachine, match=r"remind.*'after_a_while'.*state_machines"):
        harness.client(revision).start_task("remind", {"hours": 1})


def test_tools_of_the_default_state_machine_need_no_replacement(tools_module: str, revision: str) -> None:
    harness = Harness(Features.of_module(tools_module))

    assert harness.client(revision).call_tool("count_words", {"text": "a"}).text == "1 words in attempt 1"
