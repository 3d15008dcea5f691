"""What is noted of a request, wherever that is known, and what of a message is fit to be."""

from contextlib import suppress
from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.adapters.memory.storage import MemoryStorage
from mcp_tasks.engine.current_call import note, noting, timing
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.errors import LimitReached, TenantSuspended, TooManyTasks, TooManyWait
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.described import described
from mcp_tasks.wire.jsonrpc import Batch, Message, Notification, Request, Response, RpcError
from mcp_tasks.wire.refusals import refusal, withheld
from mcp_tasks.wire.revisions import revisions
from tests.kit import FixedClock


@tool()
def greet() -> str:
    """Greet."""
    return "hello"


def a_call(method: str, **params: object) -> Request:
    return Request(id=1, method=method, params=params)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (a_call("tools/call", name="greet", arguments={"a": 1}), {"method": "tools/call", "tool": "greet"}),
        (a_call("tools/call", name="c2VjcmV0"), {"method": "tools/call"}),
        (a_call("tools/call", name=["greet"]), {"method": "tools/call"}),
        (a_call("resources/read", name="greet", uri="a://b"), {"method": "resources/read"}),
        (a_call("logging/setLevel"), {"method": "logging/setLevel"}),
        (a_call("secret/token", name="greet"), {"method": "unknown"}),
        (Notification(method="notifications/secret"), {"method": "unknown"}),
        (Response(id=1, result={}), {"method": "response"}),
        (Batch(messages=[]), {"method": "batch"}),
        (None, {}),
    ],
)
def test_of_a_message_only_what_the_server_knows_is_said(message: Message | Batch | None, said: dict[str, str]) -> None:
    known = {"tools/call", "resources/read", "logging/setLevel"}

    assert described(Features.of([greet]), message, known.__contains__) == said


def test_no_revision_has_a_method_that_a_client_made_up() -> None:
    for revision in revisions(MemoryStorage(clock=FixedClock())):
        assert revision.has_method("tools/call")
        assert not any(map(revision.has_method, ("secret/token", "tools", "notifications/", "", "__class__")))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TooManyTasks(3), "too_many_tasks"),
        (TooManyWait(3, whose="tenant"), "suspended_tasks"),
        (TenantSuspended(), "tenant_suspended"),
    ],
)
def test_a_refusal_says_which_limit_was_reached(error: LimitReached | TenantSuspended, reason: str) -> None:
    with noting() as noted:
        jsonrpc.error(1, refusal(error))

    assert noted == {"reason": reason, "error": -31050}


def test_scopes_that_a_plan_leaves_out_are_a_reason() -> None:
    with noting() as noted:
        withheld(["reports:write"])

    assert noted == {"reason": "scopes"}


def test_what_is_noted_last_counts_and_nothing_is_noted_beside_a_request() -> None:
    note(outcome="of nobody")
    with noting() as noted:
        jsonrpc.error(1, RpcError(-32602, "no", {"secret": timedelta()}))
        jsonrpc.error(1, RpcError(-32603, "no"))

    assert noted == {"error": -32603}


def test_times_of_a_request_add_up_and_outside_of_one_nothing_is_noted() -> None:
    clock = FixedClock()
    with noting() as noted:
        for seconds in (1, 2):
            with timing("waited_ms", clock.now):
                clock.sleep(timedelta(seconds=seconds))
        with suppress(ZeroDivisionError), timing("code_ms", clock.now):
            raise ZeroDivisionError
    with timing("waited_ms", clock.now):
        pass

    assert noted == {"waited_ms": 3_000, "code_ms": 0}
