"""Proxy events of API Gateway: what the door is told of a request, and how its reply travels back."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters import apigateway
from mcp_tasks.wire.http import HttpReply
from tests.kit import ADA

EVENT: dict[str, Any] = {
    "httpMethod": "POST",
    "headers": {"Accept": "text/event-stream", "Content-Type": "application/json"},
    "multiValueHeaders": {"Accept": ["application/json", "text/event-stream"], "Content-Type": ["application/json"]},
    "body": '{"é": 1}',
    "isBase64Encoded": False,
    "requestContext": {"authorizer": {"tenant": "acme", "subject": "ada", "scopes": "tools", "principalId": "x"}},
}


def test_a_header_that_came_twice_is_one_list() -> None:
    assert apigateway.request(EVENT).headers == {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }


def test_headers_are_found_where_there_is_only_one_of_each() -> None:
    plain = {name: value for name, value in EVENT.items() if name != "multiValueHeaders"}

    assert apigateway.request(plain).headers["content-type"] == "application/json"
    assert apigateway.request({**plain, "headers": None}).headers == {}


@pytest.mark.parametrize(
    "changes",
    [{}, {"body": base64.b64encode('{"é": 1}'.encode()).decode(), "isBase64Encoded": True}],
    ids=["text", "base64"],
)
def test_a_body_is_what_the_client_sent(changes: dict[str, Any]) -> None:
    assert apigateway.request(EVENT | changes).body == '{"é": 1}'.encode()


def test_a_get_has_no_body() -> None:
    request = apigateway.request(EVENT | {"httpMethod": "GET", "body": None})

    assert (request.method, request.body) == ("GET", b"")


def test_the_caller_is_whom_the_authorizer_saw() -> None:
    assert apigateway.caller(EVENT) == replace(ADA, scopes=frozenset({"tools"}))


def test_an_event_that_no_authorizer_saw_has_no_caller() -> None:
    with pytest.raises(KeyError):
        apigateway.caller(EVENT | {"requestContext": {}})


def test_a_reply_travels_as_a_proxy_response() -> None:
    reply = HttpReply(status=405, headers={"allow": "POST"}, body="no")

    assert apigateway.response(reply) == {"statusCode": 405, "headers": {"allow": "POST"}, "body": "no"}
