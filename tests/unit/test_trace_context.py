"""Which trace a request belongs to."""

import pytest

from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import Batch, Message, Request
from mcp_tasks.wire.trace_context import trace_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
XRAY = f"Root=1-{OTHER[:8]}-{OTHER[8:]};Parent=53995c3f42cd8ad8;Sampled=1"


def call(traceparent: object) -> Request:
    return Request(id=1, method="tools/list", params={"_meta": {"traceparent": traceparent}})


def of(message: Message | Batch | None = None, **headers: str) -> str | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return trace_of(HttpRequest(method="POST", headers=named), message)


def test_the_message_names_it_before_the_header_and_that_before_the_gateway() -> None:
    """B-BASE-10: `_meta.traceparent` of 2026-07-28 has W3C's format."""
    other = PARENT.replace(TRACE, OTHER)
    assert of(call(PARENT), traceparent=other, x_amzn_trace_id=XRAY) == TRACE
    assert of(traceparent=PARENT, x_amzn_trace_id=XRAY) == TRACE
    assert of(x_amzn_trace_id=XRAY) == OTHER
    assert of() is None


@pytest.mark.parametrize("given", [f" {PARENT} ", PARENT.replace("00-", "cc-", 1) + "-what.comes"])
def test_white_space_and_later_versions_are_read(given: str) -> None:
    assert of(traceparent=given) == TRACE


@pytest.mark.parametrize(
    "given",
    [
        *("", "00", TRACE, PARENT.upper(), PARENT[:-1], PARENT + "x", f"ff{PARENT[2:]}"),
        *(PARENT.replace(TRACE, "0" * 32), PARENT.replace("00f067aa0ba902b7", "0" * 16), PARENT + "\n-", "a" * 100_000),
    ],
)
def test_what_is_malformed_counts_as_absent(given: str) -> None:
    assert of(call(given), traceparent=given, x_amzn_trace_id=XRAY) == OTHER
    assert of(x_amzn_trace_id=f"Root={given}") is None


@pytest.mark.parametrize("given", [None, 1, [PARENT], {"traceparent": PARENT}])
def test_what_is_no_text_counts_as_absent(given: object) -> None:
    assert of(call(given)) is None


def test_messages_without_meta_name_none() -> None:
    assert of(Request(id=1, method="ping")) is None
    assert of(Request(id=1, method="ping", params={"_meta": [PARENT]})) is None
    assert of(Batch(messages=[{"params": {"_meta": {"traceparent": PARENT}}}])) is None
