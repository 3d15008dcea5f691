"""Tools with a state machine of their own, and clients that know no tasks."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import tool
from tests.kit import ADA, NOON
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.protocol.rev_2026_07_28.client import TASKS

in_both = pytest.mark.parametrize("revision", REVISIONS)


@tool(machine="sleep", inline_wait=timedelta())
def nap(minutes: int) -> str:
    """Wait in a state machine of its own; calls do not wait for it."""
    return f"{minutes} minutes later"


@tool(machine="sleep", inline_wait=timedelta(seconds=3))
def blink(minutes: int) -> str:
    """Wait in a state machine of its own, which may finish soon."""
    return f"{minutes} minutes later"


@tool(tasks="always", machine="sleep")
def slumber(minutes: int) -> str:
    """Wait in a state machine of its own, for clients with tasks only."""
    return f"{minutes} minutes later"


@pytest.fixture
def harness() -> Harness:
    harness = Harness(Features.of([nap, blink, slumber]))
    harness.idle = True
    return harness


def plain(harness: Harness, revision: str) -> Either:
    return client(revision, harness, ADA, knows_tasks=False)


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_call_without_a_task_is_answered_with_a_handle_at_once_and_its_result_had_later(
    harness: Harness, revision: str
) -> None:
    ada = plain(harness, revision)

    reply = ada.send_request("tools/call", {"name": "nap", "arguments": {"minutes": 2}})

    handle = reply.response["result"]["structuredContent"]
    assert (harness.clock.now(), list(harness.executor.started)) == (NOON, [handle["task_id"]])
    harness.run(handle["task_id"])
    result = ada.call("task_result", **{"task_id": handle["task_id"]})
    assert result["content"][0]["text"] == "2 minutes later"


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_call_without_a_task_waits_as_long_as_the_tool_says(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    harness.while_waiting(lambda: harness.run(next(iter(harness.executor.started))))
    soon = ada.call("blink", minutes=1)
    before = harness.clock.now()

    late = ada.call("blink", minutes=2)

    assert soon["content"][0]["text"] == "1 minutes later"
    assert late["structuredContent"]["status"] == "working"
    assert harness.clock.now() - before == timedelta(seconds=3)


@requirement("A-TOOL-6", "B-TOOL-6")
@in_both
def test_wrong_arguments_are_rejected_before_the_machine_starts(harness: Harness, revision: str) -> None:
    result = plain(harness, revision).call("nap", minutes="many")

    assert (result["isError"], "minutes" in result["content"][0]["text"]) == (True, True)
    assert harness.executor.started == {}


@requirement("B-TASK-4", "B-TOOL-1")
def test_what_a_client_without_the_extension_cannot_call_is_not_listed_to_it(harness: Harness) -> None:
    harness.change(page_size=50)
    listed = [
        {each["name"] for each in client("2026-07-28", harness, ADA, knows_tasks=knows).result("tools/list")["tools"]}
        for knows in (True, False)
    ]

    assert ["slumber" in names for names in listed] == [True, False]
    assert {"nap", "blink"} <= listed[0] & listed[1]


@requirement("A-TASK-6", "A-TASK-7", "A-TOOL-2")
@pytest.mark.parametrize(
    ("version", "capabilities", "shown"),
    [
        ("2025-11-25", {"tasks": {}}, True),
        # What a client declares is what it can be asked for; those that start tasks declare nothing.
        ("2025-11-25", {}, True),
        ("2025-06-18", {"tasks": {}}, False),
        ("2025-03-26", {"extensions": {TASKS: {}}}, False),
    ],
)
def test_a_tool_that_is_always_a_task_is_listed_where_the_version_has_tasks(
    harness: Harness, version: str, capabilities: dict[str, Any], shown: bool
) -> None:
    harness.change(page_size=50)
    ada = Old(harness, version=version)
    ada.initialize(capabilities)

    names = {each["name"] for each in ada.result("tools/list")["tools"]}

    assert ("slumber" in names) is shown


@requirement("A-TASK-6")
@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("2025-11-25", "the client has to call it with the field `task`"),
        ("2025-06-18", "the client has to agree on version 2025-11-25 and call it with the field `task`"),
    ],
)
def test_who_calls_it_all_the_same_reads_what_a_client_would_have_to_do(
    harness: Harness, version: str, advice: str
) -> None:
    ada = Old(harness, version=version)
    ada.initialize({})

    error = ada.error("tools/call", name="slumber", arguments={"minutes": 1})

    assert error["code"] == -32601
    assert error["message"] == f"slumber is always a task: {advice}. One that knows no tasks cannot call it."


@requirement("B-TASK-4", "B-ERR-6")
def test_a_client_of_2026_07_28_without_the_extension_reads_what_it_would_have_to_declare(harness: Harness) -> None:
    reply = New(harness, ADA, {}).send_request("tools/call", {"name": "slumber", "arguments": {"minutes": 1}})

    assert (reply.status, reply.error["code"]) == (400, -32021)
    assert reply.error["message"] == (
        f"slumber is always a task: the client has to declare the extension {TASKS}. "
        "One that knows no tasks cannot call it."
    )
