"""JSON-RPC: ids, errors, notifications, `_meta`, unknown methods."""

from typing import Any

import pytest

from mcp_tasks.wire.calling import IDEMPOTENCY_KEY
from tests.protocol.harness import Harness
from tests.protocol.official import META_KEY
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

IDS: list[Any] = [0, 1, -7, 2**53, "0", "", "7", "é", "a" * 256]


@requirement("A-BASE-2", "A-BASE-3")
@pytest.mark.parametrize("id", IDS, ids=repr)
def test_a_response_carries_the_id_of_its_request_with_its_type(ada: Client, id: Any) -> None:
    result, error = ada.send_request("tools/list", id=id).message, ada.send_request("no/such", id=id).message

    assert (result["id"], type(result["id"])) == (id, type(id))
    assert (error["id"], type(error["id"])) == (id, type(id))


@requirement("A-BASE-2", "A-BASE-3")
def test_an_integer_may_be_written_with_a_fraction_of_nothing(ada: Client) -> None:
    reply = ada.send_request("ping", id=7.0)

    assert (reply.message["id"], reply.message["result"]) == (7, {})


@requirement("A-BASE-3", "A-TASK-24")
@pytest.mark.parametrize("id", [0, "0", 7, "7", "é" * 256], ids=repr)
def test_the_response_at_the_end_of_a_stream_carries_the_id_of_its_request(
    harness: Harness, ada: Client, id: Any
) -> None:
    task_id = ada.start()
    harness.while_waiting(lambda: harness.run(task_id))

    answer, _ = ada.outcome(task_id, id=id)

    assert (answer["id"], type(answer["id"])) == (id, type(id))


@requirement("A-BASE-5", "A-HTTP-6")
@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/roots/list_changed", "no/such", "ping"])
def test_a_notification_is_accepted_and_gets_no_answer(ada: Client, method: str) -> None:
    reply = ada.send_notification(method, {"anything": 1})

    assert (reply.status, reply.body) == (202, "")


@requirement("A-BASE-5", "A-TASK-19")
def test_a_call_without_an_id_is_a_notification_and_calls_nothing(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    reply = ada.send_notification("tools/call", {"name": "ponder", "arguments": {"question": "?"}, "task": {}})

    assert (reply.status, harness.kept()) == (202, before)


@requirement("A-BASE-6")
def test_keys_of_meta_keep_to_the_grammar_and_ours_stay_out_of_the_reserved_names() -> None:
    assert META_KEY.fullmatch(IDEMPOTENCY_KEY)
    assert IDEMPOTENCY_KEY.split("/")[0].split(".")[1] not in ("modelcontextprotocol", "mcp")


@requirement("A-BASE-7")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
def test_unknown_fields_are_ignored(harness: Harness, ada: Client, method: str) -> None:
    task_id = ada.start("add", numbers=[1])
    harness.run(task_id) if method == "tasks/result" else None
    stray = {"task": {"ttl": 1}, "_meta": {"progressToken": 3, "com.example/x": [1]}, "whatever": None}

    reply = ada.send_request(method, {"taskId": task_id, **stray})

    assert "result" in reply.message


@requirement("A-BASE-7", "A-TOOL-5")
def test_fields_that_are_null_are_treated_as_absent(ada: Client) -> None:
    nothing = {"arguments": None, "task": None, "_meta": None}

    assert ada.result("tools/call", name="stumble", **nothing)["isError"]
    assert ada.result("tools/call", name="stumble", _meta={"progressToken": None})["isError"]
    assert "tasks" in ada.result("tasks/list", cursor=None)
    assert ada.post({"jsonrpc": "2.0", "id": 77, "method": "ping", "params": None}).message["result"] == {}


@requirement("A-BASE-8")
def test_schemas_of_tools_are_2020_12_without_saying_so(ada: Client) -> None:
    from jsonschema import Draft202012Validator

    for tool in ada.result("tools/list")["tools"]:
        for name in {"inputSchema", "outputSchema"} & tool.keys():
            assert "$schema" not in tool[name]
            Draft202012Validator.check_schema(tool[name])


@requirement("A-BASE-9", "A-HTTP-10", "A-LIFE-9")
@pytest.mark.parametrize(
    "method", ["no/such", "", "resources/list", "prompts/get", "completion/complete", "tools/CALL"]
)
def test_an_unknown_method_is_method_not_found(ada: Client, method: str) -> None:
    error = ada.error(method, anything=1)

    assert (error["code"], repr(method) in error["message"]) == (-32601, True)
