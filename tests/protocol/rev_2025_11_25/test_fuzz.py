"""No input breaks the server, or changes anything that it did not ask to change."""

import json
import string
from dataclasses import replace
from typing import Any
from unittest import TestCase

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.call_log import handle_and_log
from mcp_tasks.wire.http import HttpRequest
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.checked import Checked
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.strategies import json_values

METHODS = [
    *("ping", "logging/setLevel", "tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"),
    *("resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe"),
    *("tasks/get", "tasks/update", "tasks/result", "tasks/list", "tasks/cancel"),
]
FIELDS = [
    *("name", "arguments", "task", "_meta", "taskId", "inputResponses", "cursor", "level", "uri"),
    *("ref", "argument", "context", "protocolVersion", "capabilities"),
]

params = json_values | st.dictionaries(st.sampled_from(FIELDS) | st.text(), json_values, max_size=4)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0", 2]),
        "id": json_values,
        "method": st.sampled_from(METHODS) | st.text() | json_values,
        "params": params,
        "result": json_values,
        "error": json_values,
    },
)
LISTING = json.dumps({"jsonrpc": "2.0", "id": "fuzz", "method": "tasks/list"}).encode()
bodies = st.binary() | json_values.map(json.dumps).map(str.encode) | messages.map(json.dumps).map(str.encode)
header_values = st.text(string.printable + "\x00é", max_size=30)
headers = st.dictionaries(
    st.sampled_from(
        ["accept", "content-type", "origin", "mcp-session-id", "mcp-protocol-version", "last-event-id", "x-odd"]
    ),
    st.none() | header_values,
    max_size=3,
)
methods = st.sampled_from(["POST", "POST", "POST", "GET", "DELETE", "PUT", ""])


class Lenient(Checked):
    """Validates a result only if its request is known."""

    def check(self, reply: Reply) -> None:
        assert reply.status < 500
        assert all(message.get("error", {}).get("code") != -32603 for message in reply.messages)
        known = [each for each in reply.messages if "result" not in each or json.dumps(each["id"]) in self.requests]
        super().check(replace(reply, messages=known))


def fuzzer() -> tuple[Harness, Client]:
    harness = Harness(ALL)
    client = Client(harness, checked=Lenient)
    client.initialize()
    client.start()
    client.checked.forget()
    return harness, client


@requirement("A-HTTP-7", "A-BASE-4")
@settings(max_examples=300)
@given(body=bodies)
def test_no_body_breaks_the_server_or_changes_anything(body: bytes) -> None:
    harness, client = fuzzer()
    before = harness.kept()

    client.post(body)

    assert harness.kept() == before


@requirement("A-HTTP-7", "A-TOOL-5", "A-TASK-39")
@settings(max_examples=500)
@given(method=st.sampled_from(METHODS), id=st.integers() | st.text(), params=params)
def test_no_params_break_a_method_or_change_anything(method: str, id: int | str, params: Any) -> None:
    harness, client = fuzzer()
    before = harness.kept()

    client.post({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    assert harness.kept() == before


@requirement("A-HTTP-7", "A-SSE-17", "A-SESS-5")
@settings(max_examples=300)
@given(method=methods, headers=headers)
def test_no_headers_break_the_server_or_change_anything(method: str, headers: dict[str, str | None]) -> None:
    harness, client = fuzzer()
    if method == "DELETE" and "mcp-session-id" not in headers:
        headers = {**headers, "mcp-session-id": "unknown"}
    before = harness.kept()
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

    client.send(method, LISTING, **usual | headers)

    assert harness.kept() == before


MARK = "\N{SECTION SIGN}"
said = st.text(st.sampled_from([MARK, "\n", '"', "{", "/"]), max_size=2_000).map(lambda text: MARK + text)
said_values = said | said.map(lambda text: {text: text})


@requirement("A-LOG-3")
@settings(max_examples=300)
@given(method=st.sampled_from(METHODS) | said, id=said, field=st.sampled_from(FIELDS), value=said_values)
def test_what_a_client_says_is_one_short_record_without_a_word_of_it(
    method: str, id: str, field: str, value: Any
) -> None:
    harness, client = fuzzer()
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {field: value, MARK: value}}
    headers = {"content-type": "application/json", **client.headers}
    request = HttpRequest(method="POST", headers=headers, body=json.dumps(message).encode())

    with TestCase().assertLogs("mcp_tasks", "INFO") as logged:
        handle_and_log(harness.server, request, client.caller)

    (record,) = logged.records
    assert record.getMessage() == "answered"
    assert MARK not in str(vars(record))
    assert len(str(vars(record))) < 2_000


@requirement("A-TASK-15", "A-TASK-14")
@settings(max_examples=200)
@given(ttl=st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_any_ttl_that_is_not_negative_makes_a_task_with_one_within_bounds(ttl: float | None) -> None:
    _, client = fuzzer()
    call = {"name": "ponder", "arguments": {"question": "why?"}, "task": {"ttl": ttl}}

    message = client.send_request("tools/call", call).message

    if ttl is not None and ttl < 0:
        assert message["error"]["code"] == -32602
    else:
        assert 5 * 60_000 <= message["result"]["task"]["ttl"] <= 48 * 3_600_000
