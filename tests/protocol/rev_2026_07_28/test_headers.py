"""The headers that repeat a request's version, method and name have to match the body."""

import base64
import json
from typing import Any

import pytest

from mcp_tasks.wire import apigateway
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import NAME, Client, as_header

CALL = ("tools/call", {"name": "greet", "arguments": {"name": "Zoë"}})
PROMPT = ("prompts/get", {"name": "Résumé"})
READ = ("resources/read", {"uri": "note://été"})


def wrapped(text: str | bytes) -> str:
    plain = text.encode() if isinstance(text, str) else text
    return f"=?base64?{base64.b64encode(plain).decode()}?="


@requirement("B-HDR-1", "B-HDR-2", "B-HDR-3", "B-ERR-5")
@pytest.mark.parametrize("request_", [CALL, PROMPT, READ], ids=lambda request: request[0])
@pytest.mark.parametrize("header", ["mcp_protocol_version", "mcp_method", "mcp_name"])
@pytest.mark.parametrize("value", [None, "", "other"])
def test_a_header_that_is_missing_or_different_is_rejected_by_name(
    harness: Harness, ada: Client, request_: Any, header: str, value: str | None
) -> None:
    wrong: dict[str, Any] = {header: value}
    before = harness.kept()

    reply = ada.send_request(*request_, **wrong)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32020, before)
    assert header.replace("_", "-") in reply.error["message"]
    assert ada.send_request(*request_).status == 200


@requirement("B-HDR-2")
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "completion/complete", "tasks/get", "no/such"])
@pytest.mark.parametrize("header", [None, "tools/call", "SERVER/DISCOVER", "Tools/list", "tasks/get/"])
def test_every_method_is_repeated_letter_by_letter(ada: Client, method: str, header: str | None) -> None:
    reply = ada.send_request(method, {"taskId": "any"}, mcp_method=header)

    assert (reply.status, reply.error["code"]) == (400, -32020)
    assert "mcp-method" in reply.error["message"]


@requirement("B-HDR-3", "B-HDR-7")
@pytest.mark.parametrize("name", ["Greet", "GREET", "gree", "greet2", "ponder"])
def test_names_are_compared_letter_by_letter(ada: Client, name: str) -> None:
    assert ada.send_request(*CALL, mcp_name=name).error["code"] == -32020


@requirement("B-HDR-3")
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "prompts/list", "resources/list"])
def test_a_request_that_names_nothing_needs_no_name_and_may_have_any(ada: Client, method: str) -> None:
    assert ada.send_request(method).status == 200
    assert ada.send_request(method, mcp_name="whatever").status == 200


@requirement("B-HDR-3", "B-ERR-3")
@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
@pytest.mark.parametrize("name", [None, 7, ["greet"]])
def test_a_name_that_is_no_text_is_rejected_as_such_whatever_the_header_says(
    ada: Client, method: str, name: Any
) -> None:
    for header in (None, "greet"):
        reply = ada.send_request(method, {"name": name, "uri": name}, mcp_name=header)

        assert (reply.status, reply.error["code"]) == (200, -32602)


@requirement("B-HDR-5", "B-ERR-5")
@pytest.mark.parametrize("verb", ["get", "update", "cancel"])
def test_another_task_in_the_header_is_rejected(harness: Harness, ada: Client, verb: str) -> None:
    meant, other = ada.start(), ada.start()
    before = harness.kept()

    for header in (other, "", meant.upper(), f"{meant}, {meant}"):
        reply = ada.send_request(f"tasks/{verb}", {"taskId": meant, "inputResponses": {}}, mcp_name=header)

        assert (reply.status, reply.error["code"], harness.kept()) == (400, -32020, before)


@requirement("B-HDR-6")
@pytest.mark.parametrize("verb", ["get", "update", "cancel"])
def test_a_task_need_not_be_in_the_header(ada: Client, verb: str) -> None:
    reply = ada.send_request(f"tasks/{verb}", {"taskId": ada.start(), "inputResponses": {}}, mcp_name=None)

    assert (reply.status, reply.message["result"]["resultType"]) == (200, "complete")


@requirement("B-HDR-7")
@pytest.mark.parametrize("around", [("", " "), (" ", ""), ("\t ", " \t")])
def test_space_around_a_value_means_nothing(ada: Client, around: tuple[str, str]) -> None:
    before, after = around
    spaced = {
        "mcp_protocol_version": f"{before}{NAME}{after}",
        "mcp_method": f"{before}tools/call{after}",
        "mcp_name": f"{before}greet{after}",
    }

    assert ada.send_request(*CALL, **spaced).status == 200


@requirement("B-HDR-7")
@pytest.mark.parametrize("header", ["mcp_protocol_version", "mcp_method", "mcp_name"])
def test_a_header_that_came_twice_is_rejected_even_if_both_are_right(ada: Client, header: str) -> None:
    right = {"mcp_protocol_version": NAME, "mcp_method": "tools/call", "mcp_name": "greet"}[header]

    reply = ada.send_request(*CALL, **{header: f"{right}, {right}"})

    assert (reply.status, reply.error["code"]) == (400, -32020)


@requirement("B-HDR-7")
@pytest.mark.parametrize(
    "names",
    [
        ("mcp-protocol-version", "mcp-method", "mcp-name"),
        ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"),
        ("MCP-PROTOCOL-VERSION", "MCP-METHOD", "mCP-nAME"),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_behind_the_gateway_names_of_headers_have_no_case_and_repeats_are_seen(
    harness: Harness, ada: Client, names: tuple[str, str, str], times: int
) -> None:
    values = dict(zip(names, (NAME, "tools/call", "greet"), strict=True))
    kinds = {"Accept": ["application/json, text/event-stream"], "Content-Type": ["application/json"]}
    event = {
        "httpMethod": "POST",
        "multiValueHeaders": kinds | {name: [value] * times for name, value in values.items()},
        "body": json.dumps(ada.build_request(*CALL)),
    }

    reply = handle(harness.server, apigateway.request(event), ADA)

    assert reply.status == (200 if times == 1 else 400)


@requirement("B-HDR-8", "B-HDR-3")
def test_a_name_that_no_header_can_hold_travels_as_base64(ada: Client) -> None:
    assert as_header("Résumé") == "=?base64?UsOpc3Vtw6k=?="
    assert ada.send_request(*PROMPT, mcp_name="=?base64?UsOpc3Vtw6k=?=").status == 200
    assert ada.send_request(*READ, mcp_name=wrapped("note://été")).status == 200


@requirement("B-HDR-8")
def test_any_name_may_travel_so(ada: Client) -> None:
    assert ada.send_request(*CALL, mcp_name=wrapped("greet")).status == 200
    assert ada.send_request(*CALL, mcp_name=f" {wrapped('greet')}\t").status == 200
    assert ada.send_request(*CALL, mcp_name=wrapped("ponder")).error["code"] == -32020


@requirement("B-HDR-8", "B-HDR-3", "B-ERR-5")
@pytest.mark.parametrize(
    "header",
    [
        "Résumé",
        "=?base64?UsOpc3Vtw6k?=",
        "=?base64?UsOpc3Vtw6k==?=",
        "=?base64?UsOp c3Vtw6k=?=",
        "=?base64?UsOpc3Vtw6k=",
        "=?BASE64?UsOpc3Vtw6k=?=",
        "=?base32?KLB2S43VNXBCQ===?=",
        "=?base64?!!!!?=",
        "=?base64??=",
        "=?base64?=",
        wrapped("résumé"),
        wrapped("Résumé "),
        wrapped("Résumé".encode("latin-1")),
        wrapped("Résumé".encode("utf-16")),
        wrapped(wrapped("Résumé")),
    ],
    ids=repr,
)
def test_a_name_that_is_not_as_it_should_be_encoded_is_rejected(ada: Client, header: str) -> None:
    reply = ada.send_request(*PROMPT, mcp_name=header)

    assert (reply.status, reply.error["code"]) == (400, -32020)
    assert "mcp-name" in reply.error["message"]


@requirement("B-HDR-8")
@pytest.mark.parametrize("name", [" padded ", "two\nlines", "=?base64?literal?=", "\ttab", "é", "\x00", "a\x7f"])
def test_a_name_that_means_nothing_is_unknown_rather_than_different(ada: Client, name: str) -> None:
    encoded, as_it_is = (
        ada.send_request("prompts/get", {"name": name}),
        ada.send_request("prompts/get", {"name": name}, mcp_name=name),
    )

    assert (encoded.status, encoded.error["code"]) == (200, -32602)
    assert (as_it_is.status, as_it_is.error["code"]) == (400, -32020)
