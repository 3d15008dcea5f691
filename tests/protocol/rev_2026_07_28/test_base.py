"""JSON-RPC, and the independence of each request."""

import socket
from typing import Any

import pytest

from mcp_tasks import tool
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.security.encryption import Encryptor
from mcp_tasks.security.signing import Signer
from mcp_tasks.wire.calling import IDEMPOTENCY_KEY
from tests.protocol.harness import Harness
from tests.protocol.official import META_KEY
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, CLIENT, LEFT_OUT, SERVER, VERSION, Client
from tests.protocol.schema_tools import reach

IDS: list[Any] = [0, 1, -7, 2**53, "0", "", "7", "é", "a" * 256]
NAME = {"name": {"action": "accept", "content": {"name": "Zoë"}}}
REMOVED = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/result",
    "tasks/list",
    "notifications/initialized",
    "notifications/roots/list_changed",
    "elicitation/create",
    "sampling/createMessage",
    "roots/list",
]


@requirement("B-BASE-1", "B-BASE-2")
@pytest.mark.parametrize("id", IDS, ids=repr)
def test_an_answer_carries_the_id_of_its_request_with_its_type(ada: Client, id: Any) -> None:
    answers = [
        ada.send_request("tools/list", id=id).message,
        ada.send_request("tools/call", {"name": "refuse?"}, id=id).message,
        ada.send_request("no/such", id=id).message,
        ada.send_request("tools/list", id=id, meta={CAPABILITIES: LEFT_OUT}).message,
        ada.send_request("tools/list", id=id, mcp_method="tools/call").message,
        ada.send_request("tools/list", id=id, meta={VERSION: "2031-01-01"}, mcp_protocol_version="2031-01-01").message,
        ada.send_request("subscriptions/listen", {"notifications": {}}, id=id).messages[-1],
    ]

    assert [(answer["id"], type(answer["id"])) for answer in answers] == [(id, type(id))] * len(answers)


@requirement("B-BASE-1")
def test_an_integer_may_be_written_with_a_fraction_of_nothing(ada: Client) -> None:
    assert ada.send_request("tools/list", id=7.0).message["id"] == 7


@requirement("B-BASE-1")
def test_an_id_that_is_used_twice_is_answered_twice(ada: Client) -> None:
    assert ada.send_request("tools/list", id=0).message == ada.send_request("tools/list", id=0).message


@requirement("B-BASE-3", "B-MRTR-1")
def test_who_must_be_asked_something_is_asked_in_the_answer_and_nowhere_else(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "wander"}, meta={"progressToken": 1})

    *sent, answer = reply.messages
    assert [message["method"] for message in sent] == ["notifications/progress"]
    assert answer["result"]["resultType"] == "input_required"


@requirement("B-BASE-5", "B-META-5")
def test_what_a_request_declares_holds_for_no_other(ada: Client) -> None:
    call = {"name": "introduce"}

    pending = ada.send_request("tools/call", call).response
    rejected = ada.send_request("tools/call", call, meta={CAPABILITIES: {"roots": {}}}).response
    again = ada.send_request("tools/call", call).response

    assert pending["result"]["resultType"] == again["result"]["resultType"] == "input_required"
    assert rejected["error"]["code"] == -32021


@requirement("B-BASE-5")
def test_the_log_level_of_a_request_holds_for_no_other(ada: Client) -> None:
    call = {"name": "chatter", "arguments": {"levels": ["error"]}}
    loud = ada.send_request("tools/call", call, meta={"io.modelcontextprotocol/logLevel": "debug"})

    assert len(loud.notifications("notifications/message")) == 1
    assert not ada.send_request("tools/call", call).streamed


@requirement("B-BASE-6", "B-TASK-8")
def test_any_instance_of_the_server_goes_on_where_another_was(harness: Harness, ada: Client) -> None:
    pending = ada.call("introduce")
    task_id = ada.start()
    cursor = ada.result("tools/list")["nextCursor"]
    harness.change(
        tasks=TaskService(ports=harness.ports),
        signer=Signer(keys=harness.ports.keys, clock=harness.clock),
        encryptor=Encryptor(keys=harness.ports.keys, clock=harness.clock),
    )

    again = {"arguments": {}, "requestState": pending["requestState"], "inputResponses": NAME}
    assert ada.result("tools/call", name="introduce", **again)["content"][0]["text"] == "Hello, Zoë!"
    assert ada.tasks_get(task_id)["status"] == "working"
    assert ada.result("tools/list", cursor=cursor)["tools"]


@requirement("B-BASE-7", "B-MRTR-9")
def test_nothing_is_kept_of_a_request_that_waits_for_answers(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    for _ in range(3):
        assert ada.call("book", to="Rome")["resultType"] == "input_required"

    assert harness.kept() == before


@requirement("B-BASE-8", "B-DUAL-5", "B-HTTP-14", "B-TASK-29", "B-ERR-2")
@pytest.mark.parametrize("method", REMOVED)
def test_what_was_removed_is_an_unknown_method(harness: Harness, ada: Client, method: str) -> None:
    task_id = ada.start()
    before = harness.kept()

    reply = ada.send_request(method, {"taskId": task_id, "uri": "weather://now", "level": "info", "cursor": None})

    assert (reply.status, reply.error["code"], harness.kept()) == (404, -32601, before)
    assert repr(method) in reply.error["message"]


@requirement("B-BASE-9", "B-TOOL-4")
def test_schemas_are_2020_12_and_may_use_all_of_it(ada: Client) -> None:
    shown = {each["name"]: each for each in ada.list_all("tools/list")}

    assert shown["reach"]["inputSchema"]["oneOf"] == [{"required": ["phone"]}, {"required": ["email"]}]
    assert ada.call("reach", phone="112")["isError"] is False
    assert ada.call("reach", phone="112", email="a@b.example")["isError"] is True
    assert ada.call("reach", phone="112", fax="113")["isError"] is True


@requirement("B-BASE-9")
def test_what_a_schema_refers_to_on_the_network_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "properties": {"anything": {"$ref": "https://schemas.example/anything.json"}}}
    sought: list[Any] = []

    def getaddrinfo(host: Any, *rest: Any, **more: Any) -> list[Any]:
        sought.append(host)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    with pytest.raises(TypeError, match=r"refers to 'https://schemas.example/anything.json', which is not in it"):
        tool(input_schema=schema)(reach.work.function)
    assert sought == []


@requirement("B-BASE-9")
def test_a_schema_of_another_dialect_is_rejected() -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}

    with pytest.raises(TypeError, match="2020-12"):
        tool(input_schema=schema)(reach.work.function)


@requirement("B-BASE-10")
def test_our_key_of_meta_keeps_to_the_grammar_and_out_of_the_reserved_names() -> None:
    assert META_KEY.fullmatch(IDEMPOTENCY_KEY)
    assert IDEMPOTENCY_KEY.split("/")[0].split(".")[1] not in ("modelcontextprotocol", "mcp")


@requirement("B-BASE-10", "B-TASK-32")
@pytest.mark.parametrize(
    "meta",
    [
        {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"},
        {"tracestate": "a=b", "baggage": "user=1"},
        {"io.modelcontextprotocol/relatedTaskIds": ["x"], "com.example/odd": [None], "": 1},
    ],
)
def test_keys_of_meta_that_mean_nothing_here_are_ignored(ada: Client, meta: dict[str, Any]) -> None:
    call = {"name": "greet", "arguments": {"name": "Zoë"}}

    assert ada.send_request("tools/call", call, id=1, meta=meta).body == ada.send_request("tools/call", call, id=1).body


@requirement("B-META-3", "B-META-7")
@pytest.mark.parametrize("info", [LEFT_OUT, None, {"name": "mcp-remote", "version": "0"}, {}, 7], ids=repr)
def test_the_name_of_a_client_changes_nothing(ada: Client, info: Any) -> None:
    for method in ("server/discover", "tools/list"):
        assert ada.send_request(method, id=1, meta={CLIENT: info}).body == ada.send_request(method, id=1).body


@requirement("B-META-6")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "greet", "arguments": {"name": "Zoë"}}),
        ("tools/call", {"name": "introduce"}),
        ("tools/call", {"name": "ponder", "arguments": {"question": "?"}}),
        ("subscriptions/listen", {"notifications": {}}),
    ],
)
def test_every_result_names_the_server(ada: Client, method: str, params: dict[str, Any]) -> None:
    result = ada.send_request(method, params).response["result"]

    assert result["_meta"][SERVER] == {"name": "test-server", "version": "1.2.3"}
