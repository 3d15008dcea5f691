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
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.protocol.rev_2026_07_28.client import ANSWERS
from tests.protocol.world import World

in_both = pytest.mark.parametrize("revision", REVISIONS)


@tool(joinable=timedelta(seconds=30))
def bake(what: str) -> str:
    """Take long, and do not mind being called twice."""
    return f"One {what}"


@tool()
def fry(what: str) -> str:
    """Take long, and mean every call."""
    return f"One {what}"


@pytest.fixture
def world() -> World:
    world = World(Features.of([bake, fry]))
    world.idle = True
    return world


def plain(world: World, revision: str, caller: Caller = ADA) -> Either:
    """Return a client of the caller's that knows no tasks and can be asked nothing."""
    return New(world, caller, {}) if revision == "2026-07-28" else client(revision, world, caller, knows_tasks=False)


def begin(ada: Either, name: str = "bake", what: str = "cake") -> str:
    """Call a tool that is not done in time, and return the id of its task."""
    given: dict[str, Any] = {"what": what}
    return str(ada.call(name, **given)["structuredContent"]["task_id"])


@requirement("A-TASK-5", "B-TASK-2")
@in_both
@pytest.mark.parametrize("then", REVISIONS)
def test_a_second_call_joins_the_first_ones_task_in_either_revision(world: World, revision: str, then: str) -> None:
    first = begin(plain(world, revision))

    assert begin(plain(world, then)) == first
    assert list(world.executor.started) == [first]


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_result_that_was_lost_is_had_by_calling_again(world: World, revision: str) -> None:
    ada = plain(world, revision)
    world.run(begin(ada))

    result = ada.call("bake", what="cake")

    assert result["content"][0]["text"] == "One cake"
    assert len(world.executor.started) == 1


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_it_joins_within_the_time_that_the_tool_says(world: World, revision: str) -> None:
    ada = plain(world, revision)
    first = begin(ada)
    world.clock.advance(timedelta(seconds=20))
    joined = begin(ada)
    world.clock.advance(timedelta(seconds=20))

    assert (joined, begin(ada) == first) == (first, False)


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_what_failed_or_was_cancelled_is_begun_anew(world: World, revision: str) -> None:
    ada = plain(world, revision)
    failed = begin(ada)
    world.finish(failed, Failed(code=-32603, message="out of flour"))
    cancelled = begin(ada)
    ada.call("task_cancel", task_id=cancelled)

    assert len({failed, cancelled, begin(ada)}) == 3


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_a_tool_that_does_not_say_so_is_called_twice(world: World, revision: str) -> None:
    ada = plain(world, revision)

    assert begin(ada, "fry") != begin(ada, "fry")


@requirement("A-TASK-5", "B-TASK-2")
@in_both
def test_other_arguments_are_another_call(world: World, revision: str) -> None:
    ada = plain(world, revision)

    assert begin(ada, what="cake") != begin(ada, what="bread")


@requirement("A-TASK-42", "B-TASK-11")
@in_both
@pytest.mark.parametrize("other", [BOB, EVE, replace(ADA, scopes=frozenset({"kitchen"}))], ids=["bob", "eve", "scopes"])
def test_nobody_joins_the_call_of_somebody_else_or_with_other_rights(
    world: World, revision: str, other: Caller
) -> None:
    assert begin(plain(world, revision)) != begin(plain(world, revision, other))


@requirement("A-TASK-42", "B-TASK-11")
@in_both
def test_callers_who_cannot_be_told_apart_join_nothing(world: World, revision: str) -> None:
    nobody = plain(world, revision, ANONYMOUS)

    assert begin(nobody) != begin(nobody)


@requirement("A-LIFE-9", "B-META-5")
def test_a_client_that_can_be_asked_joins_no_call_of_one_that_cannot(world: World) -> None:
    assert begin(New(world, ADA, {})) != begin(New(world, ADA, ANSWERS))


@requirement("A-TASK-10", "B-TASK-3")
@in_both
def test_who_knows_tasks_gets_one_for_each_call(world: World, revision: str) -> None:
    ada = client(revision, world, ADA)
    plain_one = begin(plain(world, revision))

    assert len({ada.start("bake", what="cake"), ada.start("bake", what="cake"), plain_one}) == 3


@requirement("A-TASK-10", "B-BASE-7")
@in_both
def test_a_key_of_the_clients_own_is_what_counts(world: World, revision: str) -> None:
    ada = plain(world, revision)
    ids = []
    for key in ("one", "two", "one"):
        meta = {"io.github.mcp-task-server/idempotency-key": key}
        reply = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}, "_meta": meta})
        ids.append(reply.response["result"]["structuredContent"]["task_id"])

    assert (ids[0] == ids[2], ids[0] == ids[1]) == (True, False)


@requirement("A-CANC-2")
def test_giving_up_a_call_that_others_may_join_leaves_its_work_alone(world: World) -> None:
    waiting = tool(joinable=timedelta(seconds=30), inline_wait=timedelta(seconds=20))(bake.work.function)
    world.change(features=Features.of([waiting]))
    ada = Old(world)
    ada.initialize({})
    reply = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="lost")
    again = ada.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="again")
    (task_id,) = world.executor.started

    ada.send_notification("notifications/cancelled", {"requestId": "lost", "reason": "timeout"})
    world.run(task_id)

    assert ada.resume(reply.last_event_id).status == 405
    assert ada.follow(again)[0]["result"]["content"][0]["text"] == "One cake"
    assert world.executor.stopped == {}


@requirement("A-CANC-2", "A-TASK-42")
def test_where_nobody_can_join_a_call_giving_it_up_ends_its_work(world: World) -> None:
    nobody = Old(world, ANONYMOUS)
    nobody.initialize({})
    world.while_waiting(lambda: nobody.send_notification("notifications/cancelled", {"requestId": "lost"}))

    nobody.send_request("tools/call", {"name": "bake", "arguments": {"what": "cake"}}, id="lost")

    assert len(world.executor.stopped) == 1


@requirement("A-CANC-2")
@pytest.mark.parametrize("declared", [False, True])
def test_giving_up_a_call_that_its_client_named_leaves_its_work_alone(world: World, declared: bool) -> None:
    ada = Old(world)
    ada.initialize({})
    by_request: Any = {
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    }
    meta = {"io.github.mcp-task-server/idempotency-key": "mine", **(by_request if declared else {})}
    call = {"name": "fry", "arguments": {"what": "egg"}, "_meta": meta}
    world.while_waiting(lambda: ada.send_notification("notifications/cancelled", {"requestId": "lost"}))

    ada.send_request("tools/call", call, id="lost")
    (task_id,) = world.executor.started
    world.run(task_id)

    assert ada.follow(ada.send_request("tools/call", call, id="again"))[0]["result"]["content"][0]["text"] == "One egg"
    assert world.executor.stopped == {}
