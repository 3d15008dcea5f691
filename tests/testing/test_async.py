"""A tool, a prompt or a resource may be an `async def`: what ends its run, or replays it, works there, too."""

from typing import Any

import pytest

from mcp_tasks.testing.client import Client, InputRequest
from mcp_tasks.testing.harness import Harness


def approve(request: InputRequest) -> Any:
    assert request.message in ("Is it late?", "Is it dark?")
    return {"action": "accept", "content": {"approved": True}}


@pytest.fixture
def asked(harness: Harness, revision: str) -> Client:
    """Return a client whose user approves."""
    return harness.client(revision, responder=approve)


def test_an_async_tool_answers_a_call(client: Client) -> None:
    assert client.call_tool("muse", {"topic": "tides"}).text == "tides!"


def test_an_async_tool_asks_within_its_call_goes_on_as_a_task_and_sleeps(asked: Client, harness: Harness) -> None:
    began = harness.clock.now()
    task = asked.start_task("confer", {"topic": "late"})

    assert task.wait().text == "one, two, Accepted"
    assert (harness.clock.now() - began).total_seconds() >= 3600
    assert sorted(harness.steps(task.id)) == ["first", "second", "sleep 1"]


@pytest.mark.parametrize("tasks", [True, False])
def test_coroutines_that_ask_at_the_same_time_are_all_answered(harness: Harness, revision: str, tasks: bool) -> None:
    client = harness.client(revision, tasks=tasks, responder=approve)

    assert client.call_tool("survey").text == "['Accepted', 'Accepted']"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["first", "second", "sleep 1"])
def test_an_async_tool_is_replayed(asked: Client, harness: Harness, step: str, when: str) -> None:
    (harness.crash_before if when == "before" else harness.crash_after)(step)

    assert asked.start_task("confer", {"topic": "late"}).wait().text == "one, two, Accepted"


def test_an_async_tool_is_cancelled_where_it_sleeps(asked: Client, harness: Harness) -> None:
    task = asked.start_task("confer", {"topic": "late"})
    for request in task.input_requests:
        request.accept(approved=True)
    harness.advance(minutes=30)
    task.cancel()
    harness.advance(hours=2)

    assert task.status == "cancelled"


def test_an_async_prompt_and_an_async_resource_are_read(client: Client) -> None:
    said = client.request("prompts/get", {"name": "debate", "arguments": {"topic": "tides"}})
    read = client.request("resources/read", {"uri": "note://tides"})

    assert said["messages"][0]["content"]["text"] == "Argue about tides."
    assert read["contents"][0]["text"] == "a note on tides"
