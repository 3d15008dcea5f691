"""What a tenant's plan limits of tasks and their sizes, as clients of both revisions are told it."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Returned
from tests.kit import ADA, EVE
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, client
from tests.unit.jobs import COLOUR

REFUSED = -31050
GREET = {"name": "greet", "arguments": {"name": "Ada"}}


@requirement("B-DUAL-13", "A-TASK-44")
def test_a_task_is_kept_no_longer_than_the_plan_allows(harness: Harness, old: Old, new: New) -> None:
    harness.limit(longest_ttl_seconds=3_600)

    created = old.result("tools/call", name="ponder", arguments={"question": "why?"}, task={"ttl": 86_400_000})

    assert created["task"]["ttl"] == 3_600_000
    assert new.result("tasks/get", taskId=new.start())["ttlMs"] == 3_600_000


@requirement("B-ERR-10", "B-DUAL-13")
def test_arguments_larger_than_the_plan_allows_are_refused_and_no_time_to_try_again_is_named(
    harness: Harness, old: Old, new: New
) -> None:
    harness.limit(arguments_bytes=100)
    call: dict[str, Any] = {"name": "ponder", "arguments": {"question": "x" * 100}}

    for error in (old.error("tools/call", **call, task={}), new.error("tools/call", **call)):
        assert (error["code"], "takes at most 100" in error["message"]) == (-32602, True)
        assert error["data"] == {"reason": "arguments_bytes", "limit": 100, "remaining": 100, "size": 126}


@requirement("B-ERR-10", "A-TASK-44", "B-DUAL-13")
def test_while_as_many_tasks_wait_for_input_as_may_none_is_started_and_what_runs_goes_on(
    harness: Harness, ada: Either
) -> None:
    waits, runs = ada.start(), ada.start()
    harness.request_input(waits, COLOUR)
    harness.limit(suspended_tasks=1)

    reply = ada.send_request("tools/call", {"name": "ponder", "arguments": {"question": "why?"}, "task": {}})

    assert (reply.status, reply.headers["retry-after"]) == (200, "10")
    assert reply.error == {
        "code": REFUSED,
        "message": "Answer a task that waits for input, or cancel one: "
        "of this tenant, 1 tasks may wait for input at a time.",
        "data": {"reason": "suspended_tasks", "limit": 1, "remaining": 0, "retryAfter": 10},
    }
    assert "content" in ada.result("tools/call", **GREET)
    assert ada.result("tasks/get", taskId=runs)["status"] == "working"
    ada.result("tasks/cancel", taskId=waits)
    assert ada.start()


@requirement("B-TOOL-5", "B-DUAL-13")
def test_a_result_larger_than_the_plan_allows_is_an_error_that_says_so(harness: Harness, ada: Either) -> None:
    harness.limit(result_bytes=80)

    small = ada.result("tools/call", **GREET)
    large = ada.result("tools/call", name="greet", arguments={"name": "x" * 80})

    assert small["content"] == [{"type": "text", "text": "Hello, Ada!"}]
    assert large["isError"]
    (said,) = large["content"]
    assert said["text"].endswith("bytes of JSON; this tenant's plan allows result_bytes: 80.")


@requirement("B-TOOL-5", "B-DUAL-13")
def test_the_result_of_a_task_larger_than_the_plan_allows_is_not_kept(harness: Harness, old: Old, new: New) -> None:
    harness.limit(result_bytes=80)
    task_id = new.start()

    harness.server.tasks.finish(
        ADA.owner_key, task_id, Returned(result={"content": [{"type": "text", "text": "x" * 80}]})
    )

    result = old.result("tasks/result", taskId=task_id)
    assert (result["isError"], "xxx" in str(result)) == (True, False)
    assert new.result("tasks/get", taskId=task_id)["result"]["content"] == result["content"]


@requirement("B-ERR-10", "A-TASK-44", "B-DUAL-13")
def test_what_a_tenant_keeps_is_limited_and_room_comes_when_that_expires(harness: Harness, ada: Either) -> None:
    harness.limit(stored_bytes=50, subject_share=1)
    call = {"name": "ponder", "arguments": {"question": "why?"}, "task": {}}
    first, second = (ada.send_request("tools/call", call) for _ in range(2))
    assert "error" not in first.message | second.message

    reply = ada.send_request("tools/call", call)

    assert (reply.status, reply.error["code"]) == (200, REFUSED)
    data = reply.error["data"]
    assert data == {"reason": "stored_bytes", "limit": 50, "remaining": 12, "retryAfter": data["retryAfter"]}
    assert reply.headers["retry-after"] == str(data["retryAfter"])
    harness.clock.advance(timedelta(seconds=data["retryAfter"]))
    assert "error" not in ada.send_request("tools/call", call).message


def refusal_of(caller: Caller, revision: str, harness: Harness) -> Any:
    """Start tasks that ask at once, until that is refused, and return all that the caller is told then."""
    ada = client(revision, harness, caller)
    for number in range(9):
        keyed = {"_meta": {"io.github.mcp-task-server/idempotency-key": f"{caller.subject} {number}"}}
        call = {"name": "ponder", "arguments": {"question": "why?"}, "task": {}}
        reply = ada.send_request("tools/call", call | (keyed if revision == "2025-11-25" else {}))
        if "error" in reply.message:
            return reply.status, reply.headers.get("retry-after"), reply.error
        tasks, _ = harness.server.tasks.page(caller, before=None, limit=99)
        (started,) = [task.id for task in tasks if not task.input_requests]
        harness.request_input(started, COLOUR, caller=caller)
    raise AssertionError("nothing was refused")


@requirement("B-ERR-10", "A-TASK-44", "B-DUAL-13")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    "plan",
    [
        {"requests_per_second": 0.1, "burst": 3},
        {"active_tasks": 2},
        {"suspended_tasks": 2},
        {"stored_bytes": 90},
        {"bytes_per_day": 60},
        {"arguments_bytes": 9},
    ],
    ids=lambda plan: next(iter(plan)),
)
def test_what_a_refusal_says_is_the_same_whatever_other_tenants_have(plan: dict[str, float], revision: str) -> None:
    alone, beside = Harness(ALL), Harness(ALL)
    for harness in (alone, beside):
        harness.limit(**plan)
    refusal_of(ADA, revision, beside)

    assert refusal_of(EVE, revision, beside) == refusal_of(EVE, revision, alone)
