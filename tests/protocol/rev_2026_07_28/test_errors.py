"""Which error codes are sent, with which HTTP status, and which never are."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.testing.replies import Reply
from tests.protocol.harness import Harness
from tests.protocol.prompts_and_resources import quarrel
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, LEFT_OUT, NAME, TASKS, VERSION, Client

PONDER = {"name": "ponder", "arguments": {"question": "why?"}}
FUTURE = "2031-01-01"


def body(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


# What is wrong, its code, and its status.
INVALID_REQUESTS: dict[str, tuple[Callable[[Client], Reply], int, int]] = {
    "no JSON": (lambda ada: ada.post(b"{", mcp_protocol_version=NAME), -32700, 400),
    "no message": (lambda ada: ada.post(body(id=1, method="tools/list")), -32600, 400),
    "no id": (lambda ada: ada.post(body(jsonrpc="2.0", id=None, method="tools/list")), -32600, 400),
    "a batch": (lambda ada: ada.post([ada.build_request("tools/list")], mcp_protocol_version=NAME), -32600, 400),
    "no method": (lambda ada: ada.send_request("no/such"), -32601, 404),
    "no capabilities": (lambda ada: ada.send_request("tools/list", meta={CAPABILITIES: LEFT_OUT}), -32602, 400),
    "no tool": (lambda ada: ada.send_request("tools/call", {"name": "nope"}), -32602, 200),
    "no prompt": (lambda ada: ada.send_request("prompts/get", {"name": "nope"}), -32602, 200),
    "no resource": (lambda ada: ada.send_request("resources/read", {"uri": "nope://"}), -32602, 200),
    "no task": (lambda ada: ada.send_request("tasks/get", {"taskId": "nope"}), -32602, 200),
    "no cursor": (lambda ada: ada.send_request("tools/list", {"cursor": "nope"}), -32602, 200),
    "a crash": (
        lambda ada: ada.send_request("prompts/get", {"name": "quarrel", "arguments": {"about": "nothing"}}),
        -32603,
        200,
    ),
    "another header": (lambda ada: ada.send_request("tools/list", mcp_method="tools/call"), -32020, 400),
    "no extension": (lambda ada: ada.send_request("tools/call", PONDER, meta={CAPABILITIES: {}}), -32021, 400),
    "no form": (
        lambda ada: ada.send_request("tools/call", {"name": "introduce"}, meta={CAPABILITIES: {}}),
        -32021,
        400,
    ),
    "another version": (
        lambda ada: ada.send_request("tools/list", meta={VERSION: FUTURE}, mcp_protocol_version=FUTURE),
        -32022,
        400,
    ),
    "a tool's own": (
        lambda ada: ada.send_request("tools/call", {"name": "refuse"}, meta={CAPABILITIES: {}}),
        1969,
        200,
    ),
}


@requirement("B-ERR-1", "B-ERR-2", "B-ERR-3", "B-ERR-4", "B-ERR-5", "B-ERR-6", "B-ERR-7", "B-VER-7", "B-BASE-2")
@pytest.mark.parametrize("invalid", INVALID_REQUESTS)
def test_every_invalid_request_has_its_code_and_its_status(ada: Client, invalid: str) -> None:
    wrong, code, status = INVALID_REQUESTS[invalid]

    reply = wrong(ada)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert reply.headers["content-type"] == "application/json"
    assert ("id" in reply.message) == (code not in (-32700, -32600))


@requirement("B-ERR-8", "B-ERR-9", "B-ERR-10")
def test_there_are_no_other_codes(harness: Harness, ada: Client) -> None:
    one_task = replace(harness.ports, plans=FixedPlans(plan=Plan(active_tasks=1)))
    harness.change(tasks=TaskService(ports=one_task))
    too_many = [ada.send_request("tools/call", PONDER) for _ in range(2)][-1]

    codes = {wrong(ada).error["code"] for wrong, _, _ in INVALID_REQUESTS.values()} | {too_many.error["code"]}

    assert {code for code in codes if -32768 <= code <= -32000} == {
        *(-32700, -32600, -32601, -32602, -32603),
        *(-32020, -32021, -32022),
    }


@requirement("B-ERR-4")
def test_an_internal_error_says_nothing_of_what_is_inside(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of([], [quarrel]))

    error = ada.error("prompts/get", name="quarrel", arguments={"about": "nothing"})

    assert error == {"code": -32603, "message": "Internal error."}


@requirement("B-ERR-10", "B-TASK-3")
def test_a_tenant_that_runs_too_many_tasks_gets_an_error_that_says_so(harness: Harness, ada: Client) -> None:
    tasks = [ada.start() for _ in range(20)]
    before = harness.kept()

    error = ada.error("tools/call", **PONDER)
    assert harness.kept() == before
    ada.result("tasks/cancel", taskId=tasks[0])

    assert error["data"] == {"reason": "too_many_tasks", "limit": 20, "remaining": 0, "retryAfter": 10}
    assert not -32768 <= error["code"] <= -32000
    assert ada.start()


@requirement("B-ERR-6", "B-META-5", "B-TASK-4")
@pytest.mark.parametrize(
    ("call", "declared", "required"),
    [
        ("ponder", {}, {"extensions": {TASKS: {}}}),
        ("introduce", {}, {"elicitation": {"form": {}}}),
        ("introduce", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("connect", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        ("connect", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("interview", {"elicitation": {}}, {"sampling": {}}),
        ("interview", {"elicitation": {"form": {}, "url": {}}, "sampling": {}}, {"roots": {}}),
        ("build", {"sampling": {}}, {"sampling": {"tools": {}}}),
        ("wander", {"sampling": {"tools": {}}}, {"roots": {}}),
        ("wander", {"roots": None}, {"roots": {}}),
    ],
)
def test_a_missing_capability_is_named_as_it_would_be_declared(
    harness: Harness, ada: Client, call: str, declared: dict[str, Any], required: dict[str, Any]
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", {"name": call}, meta={CAPABILITIES: declared})

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32021, before)
    assert reply.error["data"] == {"requiredCapabilities": required}
