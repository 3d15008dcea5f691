"""Proxy events of API Gateway as requests, and responses as proxy responses."""

import base64
import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.wire import apigateway
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.revision import Server
from tests.kit import ADA, NOON
from tests.unit.servers import server

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


@pytest.mark.parametrize("kind", ["headers", "multiValueHeaders"])
def test_a_header_that_came_under_two_spellings_of_its_name_is_one_list(kind: str) -> None:
    values = {"Origin": "https://evil.test", "X-Any": "x", "origin": "https://app.test", "ORIGIN": "null"}
    event = {**EVENT, "headers": {}, "multiValueHeaders": None}
    event[kind] = {name: [value] for name, value in values.items()} if kind == "multiValueHeaders" else values

    assert apigateway.request(event).headers == {"origin": "https://evil.test, https://app.test, null", "x-any": "x"}


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


def test_a_coding_that_the_gateway_has_undone_is_dropped() -> None:
    headers = {"multiValueHeaders": {"Content-Encoding": ["gzip"]}}
    sent = {"body": base64.b64encode(b"\x1f\x8bx").decode(), "isBase64Encoded": True}

    assert apigateway.request(EVENT | headers).headers == {}
    assert apigateway.request(EVENT | headers | sent).headers == {"content-encoding": "gzip"}


def test_a_get_has_no_body() -> None:
    request = apigateway.request(EVENT | {"httpMethod": "GET", "body": None})

    assert (request.method, request.body) == ("GET", b"")


def test_the_caller_is_whom_the_authorizer_saw() -> None:
    assert apigateway.caller(EVENT) == replace(ADA, scopes=frozenset({"tools"}))


def test_a_caller_has_the_roles_that_the_authorizer_saw() -> None:
    authorizer = EVENT["requestContext"]["authorizer"] | {"roles": '["finance","two words"]'}

    assert apigateway.caller(EVENT | {"requestContext": {"authorizer": authorizer}}).roles == {"finance", "two words"}


def test_an_event_that_no_authorizer_saw_has_no_caller() -> None:
    with pytest.raises(KeyError):
        apigateway.caller(EVENT | {"requestContext": {}})


def test_an_http_response_travels_as_a_proxy_response() -> None:
    reply = HttpReply(status=405, headers={"allow": "POST"}, body="no")

    assert apigateway.response(reply) == {"statusCode": 405, "headers": {"allow": "POST"}, "body": "no"}


def held(began_ago: timedelta, max_hold: timedelta = timedelta(seconds=25)) -> Server:
    """Return the server for a request that the gateway took that long ago."""
    began = int((NOON - began_ago).timestamp() * 1000)
    event = EVENT | {"requestContext": {**EVENT["requestContext"], "requestTimeEpoch": began}}
    return apigateway.with_time_limits(server(max_hold=max_hold), event, now=NOON)


@pytest.mark.parametrize(
    ("began_ago", "max_hold"),
    [
        (timedelta(), timedelta(seconds=25)),
        (timedelta(seconds=2), timedelta(seconds=25)),
        (timedelta(seconds=2.5), timedelta(seconds=24.5)),
        (timedelta(seconds=20), timedelta(seconds=7)),
        (timedelta(seconds=-3), timedelta(seconds=25)),
    ],
)
def test_a_request_is_held_no_longer_than_the_gateway_holds_it(began_ago: timedelta, max_hold: timedelta) -> None:
    assert held(began_ago).max_hold == max_hold


@pytest.mark.parametrize(
    ("began_ago", "limit"),
    [
        (timedelta(), timedelta(seconds=28)),
        (timedelta(seconds=20), timedelta(seconds=8)),
        (timedelta(seconds=-3), timedelta(seconds=28)),
    ],
)
def test_a_request_is_given_up_before_the_gateway_gives_it_up(began_ago: timedelta, limit: timedelta) -> None:
    assert held(began_ago).limit == limit


@pytest.mark.parametrize("seconds", [20.001, 25, 28, 29, 3_600, 86_400, -3_600])
def test_an_elapsed_time_that_is_impossible_is_ignored(seconds: float) -> None:
    served = held(timedelta(seconds=seconds))

    assert (served.max_hold, served.limit) == (timedelta(seconds=25), timedelta(seconds=28))


@pytest.mark.parametrize("taken", [None, "1795176000000", math.nan, math.inf, -math.inf, {}])
def test_a_gateway_that_names_no_time_shortens_no_request(taken: object) -> None:
    event = EVENT | {"requestContext": {"requestTimeEpoch": taken} if taken is not None else {}}
    served = apigateway.with_time_limits(server(max_hold=timedelta(seconds=25)), event, now=NOON)

    assert (served.max_hold, served.limit) == (timedelta(seconds=25), timedelta(seconds=28))


def test_a_request_is_held_no_longer_than_the_server_would() -> None:
    assert held(timedelta(seconds=3), max_hold=timedelta(seconds=1)).max_hold == timedelta(seconds=1)


def test_nothing_else_of_the_server_changes_and_the_next_request_has_its_own_time() -> None:
    usual = server(max_hold=timedelta(seconds=25))
    event = EVENT | {"requestContext": {"requestTimeEpoch": int(NOON.timestamp() * 1000)}}
    hurried = apigateway.with_time_limits(usual, event, now=NOON + timedelta(seconds=10))

    assert hurried == replace(usual, max_hold=timedelta(seconds=17), limit=timedelta(seconds=18))
    assert (usual.max_hold, usual.limit) == (timedelta(seconds=25), None)
