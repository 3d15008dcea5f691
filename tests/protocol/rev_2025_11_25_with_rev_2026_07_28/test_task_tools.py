"""The built-in task tools for clients without tasks: their results, how long they wait, and for whom."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.features.results import failure
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from tests.kit import ADA, BOB, EVE, NOON
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, client

GIVES_UP = timedelta(seconds=5)
"""The timeout of the most impatient hosts."""

in_both = pytest.mark.parametrize("revision", REVISIONS)


@pytest.fixture
def harness(harness: Harness) -> Harness:
    harness.idle = True
    return harness


def plain(harness: Harness, revision: str, caller: Caller = ADA) -> Either:
    return client(revision, harness, caller, knows_tasks=False)


def handle(ada: Either, name: str = "add", **arguments: Any) -> Any:
    given: dict[str, Any] = arguments or {"numbers": [40, 2]}
    return ada.call(name, **given)["structuredContent"]


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_task_handle_says_what_to_do_in_both_places_that_hosts_show(harness: Harness, revision: str) -> None:
    result = plain(harness, revision).call("add", numbers=[40, 2])

    sent = result["structuredContent"]
    assert sent["status"] == "working"
    assert "do not call it again" in sent["message"]
    assert f"task_result with task_id {sent['task_id']!r}" in sent["next_step"]
    assert result["content"][0]["text"] == f"{sent['message']} {sent['next_step']}"


@requirement("A-TASK-5", "B-TASK-2")
@in_both
@pytest.mark.parametrize("name", ["add", "task_result"])
def test_nobody_waits_longer_than_hosts_that_give_up_early(harness: Harness, revision: str, name: str) -> None:
    ada = plain(harness, revision)
    arguments = {"task_id": handle(ada)["task_id"]} if name == "task_result" else {"numbers": [40, 2]}
    before = harness.clock.now()

    reply = ada.send_request("tools/call", {"name": name, "arguments": arguments})

    # In one connection: there is no time for a second one.
    assert reply.response["result"]["structuredContent"]["status"] == "working"
    assert timedelta(seconds=2) < harness.clock.now() - before < GIVES_UP


@requirement("A-TASK-24", "B-TASK-15")
@in_both
@pytest.mark.parametrize("seconds", [0, 0.5, 7, 20])
def test_a_client_may_say_how_long_it_waits_for_a_result(harness: Harness, revision: str, seconds: float) -> None:
    ada = plain(harness, revision)
    task_id = handle(ada)["task_id"]
    before = harness.clock.now()

    result = ada.call("task_result", **{"task_id": task_id, "wait_seconds": seconds})

    assert result["structuredContent"]["status"] == "working"
    assert timedelta() <= harness.clock.now() - before - timedelta(seconds=seconds) < timedelta(seconds=1)


@requirement("A-TOOL-6", "B-TOOL-6")
@in_both
@pytest.mark.parametrize("seconds", [-1, 21, 1e300, True, "3", None, []])
def test_a_wait_that_is_none_is_rejected(harness: Harness, revision: str, seconds: Any) -> None:
    ada = plain(harness, revision)
    task_id = handle(ada)["task_id"]

    result = ada.call("task_result", **{"task_id": task_id, "wait_seconds": seconds})

    assert (result["isError"], "a number from 0 to 20" in result["content"][0]["text"]) == (True, True)


INJECTED: dict[str, Any] = {"sessionId": "s", "action": "sendMessage", "chatInput": "how far?", "toolCallId": "call_1"}
"""Arguments that n8n adds to every call."""


@requirement("A-TOOL-6", "B-TOOL-6")
@in_both
def test_arguments_that_a_host_adds_are_ignored(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    task_id = handle(ada)["task_id"]

    listed = ada.call("task_list", **INJECTED)
    waited = ada.call("task_result", **INJECTED, task_id=task_id, wait_seconds=0)
    cancelled = ada.call("task_cancel", **INJECTED, task_id=task_id)

    assert [each["task_id"] for each in listed["structuredContent"]["tasks"]] == [task_id]
    assert waited["structuredContent"]["status"] == "working"
    assert cancelled["structuredContent"]["status"] == "cancelled"
    schemas = {each["name"]: each["inputSchema"] for each in tools(ada)}
    assert all("additionalProperties" not in schemas[name] for name in ("task_list", "task_result", "task_cancel"))


def tools(of: Either) -> list[Any]:
    """Return all tools that are listed, page by page."""
    page = of.result("tools/list")
    found = [*page["tools"]]
    while "nextCursor" in page:
        page = of.result("tools/list", cursor=page["nextCursor"])
        found += page["tools"]
    return found


@requirement("A-TASK-35", "B-TASK-25")
@in_both
def test_cancelling_is_answered_in_both_places(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    task_id = handle(ada)["task_id"]

    result = ada.call("task_cancel", **{"task_id": task_id})

    sent = result["structuredContent"]
    assert (sent["task_id"], sent["status"]) == (task_id, "cancelled")
    assert result["content"][0]["text"] == sent["message"]


@requirement("A-TASK-32", "B-TOOL-8")
@in_both
def test_who_lost_an_id_finds_it_in_the_list(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    first = handle(ada)["task_id"]
    harness.clock.advance(timedelta(minutes=1))
    second = handle(ada, "hike", steps=[1])["task_id"]
    harness.finish(first, failure("no such number"))

    result = ada.call("task_list")

    shown = result["structuredContent"]["tasks"]
    assert [(each["task_id"], each["tool"], each["status"], each["note"]) for each in shown] == [
        (second, "hike", "working", None),
        (first, "add", "failed", "no such number"),
    ]
    assert all(each["task_id"] in result["content"][0]["text"] for each in shown)


@requirement("A-TASK-42", "B-TASK-11")
@in_both
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_the_list_names_nobody_elses_tasks(harness: Harness, revision: str, stranger: Caller) -> None:
    handle(plain(harness, revision))

    assert plain(harness, revision, stranger).call("task_list")["structuredContent"]["tasks"] == []


@requirement("A-TASK-33", "B-TOOL-1")
@in_both
def test_there_is_no_list_where_callers_cannot_be_identified(harness: Harness, revision: str) -> None:
    harness.change(page_size=100)
    nobody = plain(harness, revision, ANONYMOUS)
    handle(nobody)

    names = [each["name"] for each in nobody.result("tools/list")["tools"]]
    error = nobody.error("tools/call", name="task_list", arguments={})

    assert names[-2:] == ["task_result", "task_cancel"]
    assert (error["code"], "no tool 'task_list'" in error["message"]) == (-32602, True)


@requirement("A-TASK-32", "B-TOOL-8")
@in_both
def test_the_list_is_short_however_much_there_is(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    for _ in range(25):
        last = handle(ada)["task_id"]
        harness.finish(last, failure("x" * 10_000))

    result = ada.call("task_list")

    shown = result["structuredContent"]["tasks"]
    assert (len(shown), shown[0]["task_id"]) == (20, last)
    assert len(str(result)) < 50_000
    assert harness.clock.now() > NOON


@requirement("A-TASK-5", "A-ELI-1", "B-TASK-2", "B-META-5")
@in_both
def test_who_cannot_answer_what_a_task_asks_waits_for_somebody_who_can(harness: Harness, revision: str) -> None:
    able = client("2026-07-28", harness, ADA)
    task_id = able.start("publish", topic="tides")
    harness.run(task_id)
    other = New(harness, ADA, {}) if revision == "2026-07-28" else plain(harness, revision)
    before = harness.clock.now()

    sent = handle(other, "task_result", task_id=task_id)

    assert sent["status"] == "input_required"
    assert harness.clock.now() - before == timedelta(seconds=3)


@requirement("A-TASK-15", "A-TASK-39", "B-TASK-17", "B-TASK-18")
@in_both
@pytest.mark.parametrize(("name", "knows_tasks"), [("add", False), ("add", True), ("task_result", False)])
def test_a_task_that_expires_while_a_call_waits_for_it_is_reported_gone(
    harness: Harness, revision: str, name: str, knows_tasks: bool
) -> None:
    ada = client(revision, harness, ADA, knows_tasks=knows_tasks)
    arguments = {"task_id": handle(ada)["task_id"]} if name == "task_result" else {"numbers": [40, 2]}
    harness.while_waiting(lambda: harness.clock.advance(timedelta(days=3)))

    error = ada.send_request("tools/call", {"name": name, "arguments": arguments}).response["error"]

    assert (error["code"], "There is no task" in error["message"]) == (-32602, True)
