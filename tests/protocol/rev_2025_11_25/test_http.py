"""HTTP: methods, status codes, Origin, Accept, versions."""

from typing import Any

import pytest

from tests.protocol.harness import ORIGIN, Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@requirement("A-HTTP-1", "A-HTTP-11")
@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", ""])
def test_other_methods_are_rejected_with_those_that_are_not(ada: Client, method: str) -> None:
    reply = ada.send(method)

    assert (reply.status, reply.headers["allow"]) == (405, "POST, GET, DELETE")


@requirement("A-HTTP-2")
@pytest.mark.parametrize("origin", [ORIGIN, "http://localhost:3000"])
def test_an_allowed_origin_may_call(ada: Client, origin: str) -> None:
    assert ada.post(PING, origin=origin).status == 200


@requirement("A-HTTP-5", "A-HTTP-7")
@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": -1, "message": "no"}}])
@pytest.mark.parametrize("id", ["never-asked", "", 7, None, "x" * 300])
def test_a_response_to_nothing_is_rejected(harness: Harness, ada: Client, id: Any, answer: dict[str, Any]) -> None:
    before = harness.kept()

    reply = ada.post({"jsonrpc": "2.0", "id": id, **answer})

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)
    assert ("sent no request" in reply.error["message"], "id" in reply.message) == (True, False)


@requirement("A-HTTP-8", "A-HTTP-4")
@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/*, text/*",
        "text/event-stream, application/json",
        "Application/JSON;q=0.9 , text/event-stream;q=0.1",
        "text/html;q=0, application/json, text/event-stream; charset=utf-8",
    ],
)
def test_a_client_that_takes_both_kinds_of_answer_gets_one(ada: Client, accept: str | None) -> None:
    reply = ada.post(PING, accept=accept)

    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")


@requirement("A-HTTP-11")
@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_may_be_named_in_several_ways(ada: Client, kind: str) -> None:
    assert ada.post(PING, content_type=kind).status == 200


@requirement("A-HTTP-10", "A-BASE-9")
def test_errors_that_answer_well_formed_requests_have_status_200(ada: Client) -> None:
    codes = {
        ada.error("no/such")["code"],
        ada.error("tools/call", name="no such tool")["code"],
        ada.error("tools/call", name="refuse")["code"],
    }

    assert codes == {-32601, -32602, 1969}


@requirement("A-HTTP-12")
@pytest.mark.parametrize("version", ["1999-01-01", "2024-11-05", "", "2025-11-25, 2025-06-18"])
def test_a_version_that_is_not_spoken_is_rejected(harness: Harness, ada: Client, version: str) -> None:
    before = harness.kept()
    replies = [
        ada.send_request("tools/list", mcp_protocol_version=version),
        ada.send_request("ping", mcp_protocol_version=version),
        ada.send("GET", accept="text/event-stream", mcp_protocol_version=version),
        ada.send("DELETE", mcp_protocol_version=version),
    ]

    assert [reply.status for reply in replies] == [400] * 4
    assert replies[0].error["data"].pop("supported")[-3:] == ["2025-11-25", "2025-06-18", "2025-03-26"]
    assert replies[0].error == {
        "code": -32022,
        "message": f"Version {version!r} is not supported.",
        "data": {"requested": version},
    }
    assert harness.kept() == before


@requirement("A-HTTP-12")
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_the_header_may_name_any_version_that_is_spoken_and_the_session_decides(ada: Client, version: str) -> None:
    reply = ada.send_request("tasks/list", mcp_protocol_version=version)

    assert reply.message["result"] == {"tasks": []}


@requirement("A-HTTP-14")
def test_without_the_header_the_version_of_the_session_counts(harness: Harness, ada: Client) -> None:
    old = Client(harness, version="2025-06-18")
    old.initialize()

    assert "result" in ada.send_request("tasks/list", mcp_protocol_version=None).message
    assert old.send_request("tasks/list", mcp_protocol_version=None).error["code"] == -32601


@requirement("A-HTTP-15")
@pytest.mark.parametrize("version", ["2025-11-25", "2025-03-26", "1999-01-01"])
def test_on_initialize_the_header_decides_nothing(harness: Harness, version: str) -> None:
    client = Client(harness, version="2025-06-18")
    client.headers = {"mcp-protocol-version": version}

    assert client.initialize()["protocolVersion"] == "2025-06-18"
