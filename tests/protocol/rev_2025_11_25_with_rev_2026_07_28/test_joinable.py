"""A call that its host gave up on comes again: where the tool says so, it joins the task of the first one."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import tool
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.model import Failed
from tests.kit import ADA, BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.protocol.rev_2026_07_28.client import ANSWERS

in_both = pytest.mark.parametrize("revision", REVISIONS)


@tool(join_within=timedelta(seconds=30))
def bake(what: str) -> str:
    """Take long; a repeated call joins the first."""
    return f"One {what}"


@tool()
def fry(what: str) -> str:
    """Take long; every call is a task of its own."""
    return f"One {what}"


@pytest.fixture
def harness() -> Harness:
    harness = Harness(Features.of([bake, fry]))
    harness.idle = True
    return harness


def plain(harness: Harness, revision: str, caller: Caller = ADA) -> Either:
    """Return a client without tasks and without capabilities for input."""
    return (
        New(harness, caller, {}) if revision == "2026-07-28" else client(revision, harness, caller, knows_tasks=False)
    )


def begin(ada: Either, name: str = "bake", what: str = "cake") -> str:
    """Call a tool that does not finish within the wait, and return the id of its task."""
    given: dict[str, Any] = {"what": what}
    return str(ada.call(name, **given)["structuredContent"]["task_id"])


@requirement("A-TASK-5", "B-TASK-2")
@in_both
@pytest.mark.parametrize("then", REVISIONS)
def test_a_second_call_joins_the_first_ones_task_in_either_revision(harness: Harness, revision: str, then: str) -> None:
    first = begin(plain(harness, revision))

    assert begin(plain(harness, then)) == first
    assert list(harness.executor.started) == [first]


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_result_that_was_lost_is_had_by_calling_again(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    harness.run(begin(ada))

    result = ada.call("bake", what="cake")

    assert result["content"][0]["text"] == "One cake"
    assert len(harness.executor.started) == 1


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_it_joins_within_the_time_that_the_tool_says(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    first = begin(ada)
    harness.clock.advance(timedelta(seconds=20))
    joined = begin(ada)
    harness.clock.advance(timedelta(seconds=20))

    assert (joined, begin(ada) == first) == (first, False)


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_what_failed_or_was_cancelled_starts_again(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    failed = begin(ada)
    harness.finish(failed, Failed(code=-32603, message="out of flour"))
    cancelled = begin(ada)
    ada.call("task_cancel", task_id=cancelled)

    assert len({failed, cancelled, begin(ada)}) == 3


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_tool_that_does_not_say_so_is_called_twice(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)

    assert begin(ada, "fry") != begin(ada, "fry")


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_other_arguments_are_another_call(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)

    assert begin(ada, what="cake") != begin(ada, what="bread")


@requirement("A-TASK-42", "B-TASK-11")
@in_both
@pytest.mark.parametrize("other", [BOB, EVE, replace(ADA, scopes=frozenset({"kitchen"}))], ids=["bob", "eve", "scopes"])
def test_nobody_joins_the_call_of_somebody_else_or_with_other_rights(
    harness: Harness, revision: str, other: Caller
) -> None:
    assert begin(plain(harness, revision)) != begin(plain(harness, revision, other))


@requirement("A-TASK-42", "B-TASK-11")
@in_both
def test_callers_who_cannot_be_identified_join_nothing(harness: Harness, revision: str) -> None:
    nobody = plain(harness, revision, ANONYMOUS)

    assert begin(nobody) != begin(nobody)


@requirement("A-LIFE-9", "B-META-5")
def test_a_client_that_can_be_asked_joins_no_call_of_one_that_cannot(harness: Harness) -> None:
    assert begin(New(harness, ADA, {})) != begin(New(harness, ADA, ANSWERS))


@requirement("A-TASK-10", "B-TASK-3")
@in_both
def test_who_knows_tasks_gets_one_for_each_call(harness: Harness, revision: str) -> None:
    ada = client(revision, harness, ADA)
    plain_one = begin(plain(harness, revision))

    assert len({ada.start("bake", what="cake"), ada.start("bake", what="cake"), plain_one}) == 3


@requirement("A-TASK-10", "B-BASE-7")
@in_both
def test_a_key_of_the_clients_own_is_what_counts(harness: Harness, revision: str) -> None:
    ada = plain(harness, revision)
    ids = []
    for key in ("one", "two", "one"):
        meta = {"io.github.mcp-task-server/idempotency-key": key}
        reply = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}, "_meta": meta})
        ids.append(reply.response["result"]["structuredContent"]["task_id"])

    assert (ids[0] == ids[2], ids[0] == ids[1]) == (True, False)


@requirement("A-CANC-2")
def test_giving_up_a_call_that_others_may_join_leaves_its_work_alone(harness: Harness) -> None:
    waiting = tool(join_within=timedelta(seconds=30), inline_wait=timedelta(seconds=20))(bake.work.function)
    harness.change(features=Features.of([waiting]))
    ada = Old(harness)
    ada.initialize({})
    reply = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="lost")
    again = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="again")
    (task_id,) = harness.executor.started

    ada.send_notification("notifications/cancelled", {"requestId": "lost", "reason": "timeout"})
    harness.run(task_id)

    assert ada.resume(reply.last_event_id).status == 405
    assert ada.follow(again)[0]["result"]["content"][0]["text"] == "One cake"
    assert harness.executor.stopped == {}


@requirement("A-CANC-2", "A-TASK-42")
def test_where_nobody_can_join_a_call_giving_it_up_ends_its_work(harness: Harness) -> None:
    nobody = Old(harness, ANONYMOUS)
    nobody.initialize({})
    harness.while_waiting(lambda: nobody.send_notification("notifications/cancelled", {"requestId": "lost"}))

    nobody.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="lost")

    assert len(harness.executor.stopped) == 1


@requirement("A-CANC-2")
@pytest.mark.parametrize("declared", [False, True])
def test_giving_up_a_call_that_its_client_named_leaves_its_work_alone(harness: Harness, declared: bool) -> None:
    ada = Old(harness)
    ada.initialize({})
    by_request: Any = {
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    }
    meta = {"io.github.mcp-task-server/idempotency-key": "mine", **(by_request if declared else {})}
    call = {"name": "fry", "arguments": {"what": "egg"}, "_meta": meta}
    harness.while_waiting(lambda: ada.send_notification("notifications/cancelled", {"requestId": "lost"}))

    ada.send_request("tools/call", call, id="lost")
    (task_id,) = harness.executor.started
    harness.run(task_id)

    assert ada.follow(ada.send_request("tools/call", call, id="again"))[0]["result"]["content"][0]["text"] == "One egg"
    assert harness.executor.stopped == {}
