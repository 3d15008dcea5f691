"""Invalid input responses, or valid ones in invalid messages, are rejected and change nothing."""

import json
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, MOON, SAMPLED, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, LEFT_OUT, VERSION, Client
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, suspended, update

LONG = "x" * 100_000


@requirement("B-TASK-21", "B-ELI-2", "B-ERR-3")
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (accept(title="M"), "title should be at least 2 characters long"),
        (accept(title=7), "title should be a text, not 7"),
        (accept(), "title is missing"),
        (accept(title="Moon", public="yes"), "public should be true or false"),
        ({"action": "accept"}, "title is missing"),
        ({"action": "accept", "content": ["Moon"]}, "content should be an object"),
        ({"action": "agree"}, "action should be accept, decline or cancel"),
        ({"error": {"code": -1, "message": "no"}}, "action"),
        ({}, "action"),
    ],
)
def test_what_does_not_fit_is_rejected_with_why_and_nothing_of_it_is_taken(
    harness: Harness, ada: Client, answer: Any, complaint: str
) -> None:
    task_id = suspended(ada, "convene")
    before = harness.kept()

    error = ada.error("tasks/update", taskId=task_id, inputResponses={**CONVENED, "title": answer})

    assert (error["code"], harness.kept()) == (-32602, before)
    assert "the answer to 'title' does not fit" in error["message"]
    assert complaint in error["message"]
    update(ada, task_id, **CONVENED)
    assert result_text(ada, task_id).startswith("Moon")


@requirement("B-TASK-21", "B-SAM-1", "B-ROOT-1")
@pytest.mark.parametrize(
    ("tool", "key", "answer"),
    [
        ("muse", "word", {}),
        ("muse", "word", {**SAMPLED, "content": "Splendid"}),
        ("muse", "word", {**SAMPLED, "model": None}),
        ("list_folders", "folders", {"roots": {}}),
        ("list_folders", "folders", {"roots": [{}]}),
        ("sign_in", "login", {"action": "open"}),
    ],
)
def test_an_invalid_sampling_or_roots_response_is_rejected(ada: Client, tool: str, key: str, answer: Any) -> None:
    task_id = suspended(ada, tool)

    error = ada.error("tasks/update", taskId=task_id, inputResponses={key: answer})

    assert (error["code"], repr(key) in error["message"]) == (-32602, True)
    assert list(open_requests(ada, task_id)) == [key]


@requirement("B-TASK-21", "B-ERR-3")
@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (LEFT_OUT, "inputResponses is missing"),
        (None, "inputResponses is missing"),
        ([], "inputResponses should be an object"),
        ([MOON], "inputResponses should be an object"),
        ("accept", "inputResponses should be an object"),
        (True, "inputResponses should be an object"),
        ({"title": None}, "inputResponses.title should be an object"),
        ({"title": "Moon"}, "inputResponses.title should be an object"),
        ({"title": [MOON]}, "inputResponses.title should be an object"),
        ({**CONVENED, "nobody": 7}, "inputResponses.nobody should be an object"),
        ({**CONVENED, "title": {"result": MOON}}, "'title'"),
        ({**CONVENED, "title": {"title": "Moon"}}, "'title'"),
        ({**CONVENED, "word": {**SAMPLED, "content": {"deep": [LONG] * 3}}}, "'word'"),
        ({**CONVENED, "folders": {"roots": [{"uri": LONG}, {"uri": 7}]}}, "'folders'"),
        ({**CONVENED, "title": {"action": LONG}}, "'title'"),
        ({**CONVENED, "title": accept(title=[LONG] * 3)}, "'title'"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_wrong_answers_are_rejected_by_name(harness: Harness, ada: Client, answers: Any, says: str) -> None:
    task_id = suspended(ada, "convene")
    params = {"taskId": task_id} if answers is LEFT_OUT else {"taskId": task_id, "inputResponses": answers}
    before = harness.kept()

    reply = ada.send_request("tasks/update", params)

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert says in reply.error["message"]
    assert len(reply.error["message"]) < 1000
    assert open_requests(ada, task_id).keys() == CONVENED.keys()


@requirement("B-HDR-5", "B-META-2", "B-TASK-12", "B-HTTP-4", "B-HTTP-2")
@pytest.mark.parametrize(
    ("meta", "headers", "status", "code"),
    [
        ({}, {"mcp_name": "another"}, 400, -32020),
        ({}, {"mcp_method": "tasks/get"}, 400, -32020),
        ({}, {"mcp_protocol_version": None}, 400, -32020),
        ({CAPABILITIES: {}}, {}, 400, -32021),
        ({CAPABILITIES: LEFT_OUT}, {}, 400, -32602),
        ({VERSION: 7}, {}, 400, -32602),
        ({}, {"accept": "application/json"}, 406, -32600),
        ({}, {"content_type": "text/plain"}, 415, -32600),
        ({}, {"origin": "https://evil.example"}, 403, -32600),
    ],
)
def test_an_answer_comes_by_the_same_endpoint_as_all_else(
    harness: Harness, ada: Client, meta: dict[str, Any], headers: dict[str, Any], status: int, code: int
) -> None:
    params = {"taskId": suspended(ada), "inputResponses": {"title": MOON}}
    before = harness.kept()

    reply = ada.send_request("tasks/update", params, meta=meta, **headers)

    assert (reply.status, reply.error["code"], harness.kept()) == (status, code, before)


@requirement("B-DUAL-3", "B-BASE-4", "B-BASE-3")
def test_no_response_reaches_what_a_task_asks(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    before = harness.kept()

    replies = [ada.post({"jsonrpc": "2.0", "id": each, "result": MOON}) for each in ("title", task_id, 0)]

    assert ([reply.status for reply in replies], harness.kept()) == ([400] * 3, before)


@requirement("B-TASK-22", "B-TASK-21")
@pytest.mark.parametrize(
    "key", ["", "Title", "title ", "title\x00", LONG, "é", "__class__"], ids=lambda key: repr(key)[:9]
)
def test_a_key_that_is_almost_one_is_none(harness: Harness, ada: Client, key: str) -> None:
    task_id = suspended(ada)
    before = harness.stored()

    update(ada, task_id, **{key: MOON})

    assert harness.stored() == before


@requirement("B-TASK-21", "B-ERR-1")
@pytest.mark.parametrize("value", [b'"\\ud800"', b"NaN", b"1e400", b'{"a":' * 100 + b"1" + b"}" * 100])
def test_what_cannot_be_kept_is_not_json(harness: Harness, ada: Client, value: bytes) -> None:
    task_id = suspended(ada)
    message = ada.build_request("tasks/update", {"taskId": task_id, "inputResponses": {"title": accept(title="VALUE")}})
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tasks/update"}
    body = json.dumps(message).encode().replace(b'"VALUE"', value)
    before = harness.kept()

    reply = ada.post(body, **headers)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32700, before)
