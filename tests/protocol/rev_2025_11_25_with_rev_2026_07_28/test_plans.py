"""What a tenant's plan limits, as clients of both revisions are told it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.kit import ADA, BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client

REFUSED = -31050
GREET = {"name": "greet", "arguments": {"name": "Ada"}}
SUM = {"name": "add", "arguments": {"numbers": [40, 2]}}


def used_up(harness: Harness, ada: Either, **plan: Any) -> None:
    """Give every tenant a rate of one request in ten seconds, and use up what may come at once."""
    harness.limit(**{"requests_per_second": 0.1, "burst": 1, "subject_share": 1, **plan})
    ada.result("tools/list")


@requirement("B-ERR-10", "A-TASK-44", "B-DUAL-13")
def test_a_request_over_the_rate_is_told_which_limit_and_when_to_try_again(harness: Harness, ada: Either) -> None:
    used_up(harness, ada)

    reply = ada.send_request("tools/call", GREET)

    assert reply.status == 200
    assert reply.headers["retry-after"] == "10"
    assert reply.error == {
        "code": REFUSED,
        "message": "Try again later: this tenant's plan allows requests_per_second: 0.1.",
        "data": {"reason": "requests_per_second", "limit": 0.1, "remaining": 0, "retryAfter": 10},
    }

    harness.clock.advance(timedelta(seconds=10))

    assert ada.result("tools/call", **GREET)["content"] == [{"type": "text", "text": "Hello, Ada!"}]


@requirement("B-ERR-10", "B-DUAL-13")
def test_what_is_refused_does_nothing(harness: Harness, ada: Either) -> None:
    used_up(harness, ada)
    before = harness.kept()

    assert ada.error("tools/call", name="ponder", arguments={"question": "why?"})["code"] == REFUSED
    assert harness.kept() == before


@requirement("B-ERR-10", "B-DUAL-13")
def test_what_one_tenant_used_up_no_other_tenant_lacks(harness: Harness, ada: Either) -> None:
    eve = client("2026-07-28", harness, EVE)
    used_up(harness, ada)

    assert client("2026-07-28", harness, BOB).error("tools/list")["data"]["reason"] == "requests_per_second"
    assert "tools" in eve.result("tools/list")


@requirement("B-ERR-10", "B-DUAL-13")
def test_a_subject_over_its_share_is_told_so(harness: Harness, ada: Either) -> None:
    harness.limit(requests_per_second=1, burst=100, subject_share=0.1)
    bob = client("2026-07-28", harness, BOB)

    replies = [ada.send_request("tools/list") for _ in range(40)]

    assert replies[-1].error["data"]["reason"] == "requests_per_second_of_subject"
    assert replies[-1].error["data"]["limit"] == 0.1
    assert "tools" in bob.result("tools/list")


@requirement("B-ERR-10", "B-DUAL-13")
def test_no_request_of_a_suspended_tenant_is_served_and_its_tasks_go_on(harness: Harness, ada: Either) -> None:
    task_id = ada.start()
    harness.limit(suspended=True)
    before = harness.kept()

    for method, params in [("tools/list", {}), ("tools/call", GREET), ("tasks/get", {"taskId": task_id})]:
        reply = ada.send_request(method, params)
        assert (reply.status, reply.error["code"]) == (200, REFUSED)
        assert reply.error["data"] == {"reason": "tenant_suspended", "retryAfter": 60}
        assert reply.error["message"] == "Not served: this tenant is suspended: its operator can say why."
    assert harness.kept() == before

    harness.run(task_id)
    harness.limit()

    assert ada.result("tasks/get", taskId=task_id)["status"] == "completed"


@requirement("B-ERR-10", "B-DUAL-13")
def test_a_tool_that_the_plan_leaves_out_is_neither_listed_nor_called(harness: Harness, ada: Either) -> None:
    harness.limit(tools=frozenset({"add"}))

    assert {tool["name"] for tool in ada.result("tools/list")["tools"]} == {"add"}
    assert ada.error("tools/call", **GREET)["message"] == "There is no tool 'greet'; tools/list names them all."
    harness.limit()
    assert "content" in ada.result("tools/call", **GREET)


@requirement("B-DUAL-13")
def test_a_caller_keeps_the_scopes_that_the_plan_has(harness: Harness) -> None:
    ada = client("2026-07-28", harness, replace(ADA, scopes=frozenset({"write", "admin"})))
    harness.limit(scopes=frozenset({"read", "write"}))

    task_id = ada.start()

    assert harness.tasks.get(ADA, task_id).scopes == {"write"}


@requirement("B-DUAL-13", "A-TASK-44")
def test_the_built_in_tools_are_in_every_plan(harness: Harness) -> None:
    guest = client("2026-07-28", harness, ADA, knows_tasks=False)
    harness.limit(tools=frozenset())

    assert {tool["name"] for tool in guest.result("tools/list")["tools"]} >= {"task_result"}
    assert "content" in guest.result("tools/call", name="task_list", arguments={})


@requirement("B-TASK-2", "B-DUAL-13")
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_over_the_limit_of_connections_is_answered_at_once_and_its_work_goes_on(
    harness: Harness, revision: str
) -> None:
    harness.limit(held_waits=0)
    harness.idle = True
    plain = client(revision, harness, ADA, knows_tasks=False)

    handle = plain.result("tools/call", **SUM)["structuredContent"]
    again = plain.result("tools/call", name="task_result", arguments={"task_id": handle["task_id"]})

    assert [handle["status"], again["structuredContent"]["status"]] == ["working", "working"]
    assert harness.waiter.pauses == 0
    harness.run(handle["task_id"])
    ended = plain.result("tools/call", name="task_result", arguments={"task_id": handle["task_id"]})
    assert ended["structuredContent"] == {"total": 42}


@requirement("B-TASK-2", "B-DUAL-13")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("knows_tasks", [True, False])
def test_a_call_that_waits_within_the_limit_is_counted_until_it_is_answered(
    harness: Harness, revision: str, knows_tasks: bool
) -> None:
    harness.limit(held_waits=1)
    harness.idle = True
    held: list[int] = []
    harness.waiter.meanwhile = lambda: held.append(harness.ports.held_waits.count("acme"))

    client(revision, harness, ADA, knows_tasks=knows_tasks).send_request("tools/call", SUM)

    assert set(held) == {1}
    assert harness.ports.held_waits.count("acme") == 0


@requirement("B-ERR-10", "B-DUAL-13")
def test_bytes_and_idempotency_keys_are_counted_by_the_day(harness: Harness, old: Old, new: New) -> None:
    call: dict[str, Any] = {"name": "ponder", "arguments": {"question": "why?"}}
    size = len('["ponder",{"question":"why?"}]')
    harness.limit(bytes_per_day=2 * size + 5, keys_per_day=1)
    keyed = {"_meta": {"io.github.mcp-task-server/idempotency-key": "k"}}
    assert "task" in old.result("tools/call", **call, **keyed, task={})

    assert new.error("tools/call", **call, **keyed)["data"]["reason"] == "keys_per_day"
    new.result("tools/call", **call)
    data = old.error("tools/call", **call, task={})["data"]

    assert (data["reason"], data["limit"], data["remaining"]) == ("bytes_per_day", 2 * size + 5, 5)
    harness.clock.advance(timedelta(seconds=data["retryAfter"]))
    assert "task" in old.result("tools/call", **call, task={})


@requirement("B-ERR-10", "B-DUAL-13")
def test_more_bytes_than_a_day_allows_are_never_taken_and_cost_nothing(harness: Harness, old: Old, new: New) -> None:
    harness.limit(bytes_per_day=60)
    too_much = {"name": "ponder", "arguments": {"question": "why?" * 20}}

    refused = [old.error("tools/call", **too_much, task={}), new.error("tools/call", **too_much)]

    assert [each["code"] for each in refused] == [-32602] * 2
    assert all(
        each["data"] == {"reason": "arguments_bytes", "limit": 60, "remaining": 60, "size": 106} for each in refused
    )
    new.result("tools/call", name="ponder", arguments={"question": "why?"})


@requirement("B-ERR-10", "B-DUAL-13")
@pytest.mark.parametrize("plan", [{"sessions_per_day": 0}, {"sessions_per_day": 1}])
def test_sessions_are_counted_by_the_day(harness: Harness, plan: dict[str, int]) -> None:
    harness.limit(**plan)
    for _ in range(plan["sessions_per_day"]):
        Old(harness).initialize()

    reply = Old(harness).send_request(
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    )

    assert (reply.status, reply.error["data"]["reason"]) == (200, "sessions_per_day")
    assert reply.headers["retry-after"] == "86400"
    assert "mcp-session-id" not in reply.headers
    assert "tools" in New(harness).result("tools/list")
