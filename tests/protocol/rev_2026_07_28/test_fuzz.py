"""No input breaks the server, or changes anything that it did not ask to change."""

import json
import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks.testing.replies import Reply
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.input_responses import HOME, MOON, SAMPLED
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.checked import Checked
from tests.protocol.rev_2026_07_28.client import (
    ANSWERS,
    CAPABILITIES,
    LOG_LEVEL,
    NAME,
    VERSION,
    Client,
    routing_headers,
)
from tests.protocol.rev_2026_07_28.task_input import status, suspended, update
from tests.protocol.strategies import json_values, results

METHODS = [
    *("server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get"),
    *("resources/list", "resources/templates/list", "resources/read", "completion/complete"),
    *("tasks/get", "tasks/update", "tasks/cancel", "subscriptions/listen"),
]
FIELDS = [
    *("name", "arguments", "uri", "cursor", "ref", "argument", "context", "taskId", "notifications"),
    *("inputResponses", "requestState", "task"),
]

names = st.sampled_from(["greet", "introduce", "greeting", "toast", "note://été", "send"])
params = st.dictionaries(st.sampled_from(FIELDS), json_values | names, max_size=4)
metas = st.dictionaries(
    st.sampled_from([VERSION, CAPABILITIES, LOG_LEVEL, "progressToken", "traceparent"]) | st.text(),
    json_values,
    max_size=3,
)
header_values = st.none() | st.text(string.printable + "\x00é", max_size=30)
headers = st.dictionaries(
    st.sampled_from(
        [
            *("accept", "content-type", "origin", "mcp-session-id", "last-event-id"),
            *("mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-region"),
        ]
    ),
    header_values,
    max_size=3,
)
REJECTIONS = (-32602, -32700)
answers = st.dictionaries(st.sampled_from(["title", "word", "folders"]) | st.text(max_size=3), results | json_values)
methods = st.sampled_from(["POST", "POST", "POST", "GET", "DELETE", "PUT", ""])


class Lenient(Checked):
    """Validates a result only if its request is known."""

    def check(self, reply: Reply) -> None:
        assert reply.status < 500
        assert all(message.get("error", {}).get("code") != -32603 for message in reply.messages)
        known = [each for each in reply.messages if "result" not in each or json.dumps(each["id"]) in self.requests]
        if known:
            super().check(replace(reply, messages=known))


def fuzzer() -> tuple[Harness, Client]:
    harness = Harness(ALL)
    client = Client(harness, checked=Lenient)
    client.start()
    return harness, client


@requirement("B-ERR-1", "B-VER-7")
@settings(max_examples=200)
@given(body=st.binary() | json_values.map(json.dumps).map(str.encode), version=st.sampled_from([NAME, None, "x"]))
def test_no_body_breaks_the_server_or_changes_anything(body: bytes, version: str | None) -> None:
    harness, client = fuzzer()
    before = harness.kept()

    client.post(body, mcp_protocol_version=version)

    assert harness.kept() == before


@requirement("B-ERR-3", "B-TOOL-5", "B-MRTR-8")
@settings(max_examples=300)
@given(method=st.sampled_from(METHODS), id=st.integers(-9, 9) | st.text(max_size=9), given_params=params)
def test_no_params_break_a_method_or_change_anything(method: str, id: int | str, given_params: dict[str, Any]) -> None:
    harness, client = fuzzer()
    before = harness.kept()

    client.send_request(method, given_params, id=id)

    assert harness.kept() == before


@requirement("B-META-2", "B-DUAL-8")
@settings(max_examples=150)
@given(method=st.sampled_from(METHODS), meta=metas)
def test_no_envelope_breaks_the_server_or_changes_anything(method: str, meta: dict[str, Any]) -> None:
    harness, client = fuzzer()
    message = client.build_request(method, {"name": "greet", "uri": "note://été"}, meta=meta)
    before = harness.kept()

    client.post(message, **routing_headers(message) | {"mcp_protocol_version": NAME})

    assert harness.kept() == before


@requirement("B-HDR-7", "B-ERR-5", "B-HTTP-13")
@settings(max_examples=200)
@given(http=methods, unusual=headers)
def test_no_headers_break_the_server_or_change_anything(http: str, unusual: dict[str, str | None]) -> None:
    harness, client = fuzzer()
    message = client.build_request("tools/call", {"name": "send", "arguments": {"region": "here"}})
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    before = harness.kept()

    client.send(http, json.dumps(message).encode(), **usual | routing_headers(message) | unusual)

    assert harness.kept() == before


@requirement("B-HDR-8")
@settings(max_examples=100)
@given(name=st.text(min_size=1, max_size=30))
def test_any_name_travels_through_the_header(name: str) -> None:
    _, client = fuzzer()

    reply = client.send_request("prompts/get", {"name": name})

    assert (reply.status, reply.error["code"]) == (200, -32602)


@requirement("B-TASK-21", "B-TASK-22", "B-ELI-2", "B-ERR-3")
@settings(max_examples=150)
@given(given_answers=answers | json_values)
def test_no_answers_break_a_task_and_what_is_rejected_changes_none(given_answers: Any) -> None:
    harness, client = fuzzer()
    task_id = suspended(client, "convene")
    before = harness.stored()

    reply = client.send_request("tasks/update", {"taskId": task_id, "inputResponses": given_answers})

    if "error" in reply.message:
        assert (reply.error["code"] in REJECTIONS, harness.stored()) == (True, before)
        assert len(reply.error["message"]) < 1000
    update(client, task_id, title=MOON, word=SAMPLED, folders=HOME)
    assert status(client, task_id) == "completed"


@requirement("B-MRTR-8", "B-TASK-9", "B-ERR-3")
@pytest.mark.parametrize("tool", ["publish", "order"])
@settings(max_examples=80)
@given(given_answers=answers | json_values, state=json_values)
def test_no_round_trip_breaks_a_call_that_asks_or_makes_a_second_task_of_it(
    tool: str, given_answers: Any, state: Any
) -> None:
    harness, _ = fuzzer()
    client = Client(harness, capabilities=ANSWERS, checked=Lenient)
    call = {"name": tool, "arguments": {"topic" if tool == "publish" else "what": "tides"}}
    first = client.result("tools/call", **call)
    before = len(harness.executor.started)

    client.send_request("tools/call", {**call, "inputResponses": given_answers, "requestState": first["requestState"]})
    assert len(harness.executor.started) <= before + (tool == "order")
    reply = client.send_request("tools/call", {**call, "inputResponses": given_answers, "requestState": state})

    assert "result" in reply.message or reply.error["code"] in REJECTIONS
