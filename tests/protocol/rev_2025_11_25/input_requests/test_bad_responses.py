"""Invalid responses, or valid ones in invalid messages, are rejected and change nothing."""

import json
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import DECLINE, MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import RELATED, open_request, suspended, wait

LONG = "x" * 100_000


@pytest.fixture
def input_request(ada: Client) -> Any:
    return open_request(ada, suspended(ada))


@requirement("A-HTTP-7", "A-BASE-3")
@pytest.mark.parametrize(
    "content",
    [
        {},
        {"result": None},
        {"result": "accept"},
        {"result": [MOON]},
        {"error": "no"},
        {"error": [{"code": -1, "message": "no"}]},
        {"result": MOON, "error": {"code": -1, "message": "no"}},
    ],
)
def test_an_invalid_response_object_is_rejected(
    harness: Harness, ada: Client, input_request: Any, content: dict[str, Any]
) -> None:
    before = harness.kept()

    reply = ada.post({"jsonrpc": "2.0", "id": input_request["id"], **content})

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)


@requirement("A-HTTP-7", "A-BASE-1")
def test_responses_in_a_batch_are_rejected(harness: Harness, ada: Client, input_request: Any) -> None:
    before = harness.kept()

    reply = ada.post([{"jsonrpc": "2.0", "id": input_request["id"], "result": MOON}])

    assert (reply.status, "has no batches" in reply.error["message"], harness.kept()) == (400, True, before)


@requirement("A-BASE-4", "A-HTTP-11")
@pytest.mark.parametrize(
    "content",
    [
        '{"action": "accept", "content": {"title": "\\ud800"}}',
        '{"action": "accept", "content": {"title": NaN}}',
        '{"action": "accept", "content": {"title": 1e400}}',
        '{"action": "accept", "content": ' + '{"title":' * 100 + "1" + "}" * 101,
    ],
    ids=["a lone surrogate", "NaN", "out of range", "too deep"],
)
def test_what_cannot_be_kept_is_not_json(harness: Harness, ada: Client, input_request: Any, content: str) -> None:
    before = harness.kept()

    reply = ada.post(f'{{"jsonrpc": "2.0", "id": {json.dumps(input_request["id"])}, "result": {content}}}'.encode())

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32700, before)


@requirement("A-HTTP-4", "A-HTTP-11", "A-HTTP-12", "A-HTTP-2")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"accept": "application/json"}, 406),
        ({"content_type": "text/plain"}, 415),
        ({"origin": "https://evil.example"}, 403),
        ({"mcp_protocol_version": "1999-01-01"}, 400),
        ({"mcp_protocol_version": "2026-07-28"}, 400),
        ({"mcp_session_id": None}, 400),
        ({"mcp_session_id": "unknown"}, 404),
    ],
)
def test_an_answer_comes_by_the_same_endpoint_as_all_else(
    harness: Harness, ada: Client, input_request: Any, headers: dict[str, Any], status: int
) -> None:
    before = harness.kept()

    reply = ada.post({"jsonrpc": "2.0", "id": input_request["id"], "result": MOON}, **headers)

    assert (reply.status, harness.kept()) == (status, before)


@requirement("A-HTTP-7", "A-INP-9")
def test_an_answer_is_no_request_and_no_notification(harness: Harness, ada: Client, input_request: Any) -> None:
    before = harness.kept()

    pinged = ada.post({"jsonrpc": "2.0", "id": input_request["id"], "method": "ping", "result": MOON})
    notified = ada.post(
        {"jsonrpc": "2.0", "method": "elicitation/create", "params": {"id": input_request["id"], **MOON}}
    )

    assert (pinged.message["result"], notified.status, harness.kept()) == ({}, 202, before)


@requirement("A-ELI-4", "A-INP-9")
@pytest.mark.parametrize(
    "answer",
    [
        accept(title=LONG, more=LONG),
        accept(**{LONG: 1}, title=7),
        {"action": LONG},
        {"action": {"deep": [LONG]}},
        accept(title=[LONG] * 3),
    ],
    ids=["long", "long name", "long action", "long object", "long list"],
)
def test_what_is_very_long_is_taken_or_complained_of_in_a_few_words(
    ada: Client, input_request: Any, answer: Any
) -> None:
    assert ada.respond(input_request, answer).status == 202
    task_id = input_request["params"]["_meta"][RELATED]["taskId"]
    for anew in wait(ada, task_id).input_requests:
        assert len(anew["params"]["message"]) < 1000


@requirement("A-INP-8", "A-INP-9")
def test_a_long_error_message_is_cut_for_the_tool(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "muse")

    reply = ada.respond(open_request(ada, task_id), error={"code": 10**300, "message": LONG, "data": [LONG] * 9})

    text = ada.result("tasks/result", taskId=task_id)["content"][0]["text"]
    assert (reply.status, "xxx" in text, len(text) < 1001) == (202, True, True)
    assert len(harness.stored()) < 10_000


@requirement("A-INP-9", "A-ELI-4")
@pytest.mark.parametrize("answer", [DECLINE, YES])
def test_unknown_fields_are_ignored(ada: Client, answer: Any) -> None:
    task_id = suspended(ada, "hurry", default=False)

    response = {"jsonrpc": "2.0", "id": open_request(ada, task_id)["id"], "result": {**answer, "more": [1]}, "odd": {}}

    assert ada.post(response).status == 202
    assert ada.result("tasks/result", taskId=task_id)["isError"] is False
