"""An AWS that does not answer: the real handlers answer all the same, in JSON-RPC and before the gateway hangs up."""

import importlib
import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

from mcp_tasks import aws
from mcp_tasks.features import catalogue
from mcp_tasks.limits.aws import LONGEST_REQUEST
from mcp_tasks.wire import apigateway
from tests.black_hole import BODY, HEAD, SILENCE, BlackHole, black_hole
from tests.messages import event
from tests.protocol.rev_2026_07_28.messages import enveloped

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
LEFT = 1
HANGS_UP = 29
LONGEST_BACK_OFF = 20

Handler = Callable[[Any, Any], dict[str, Any]]


@pytest.fixture(params=[SILENCE, HEAD, BODY], ids=["silent", "drips-head", "drips-body"])
def hole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[BlackHole]:
    (tmp_path / "catalogue.json").write_text(catalogue.write("examples"))
    with black_hole(request.param) as hole:
        monkeypatch.setenv("AWS_ENDPOINT_URL", hole.url)
        monkeypatch.setenv("TABLE_NAME", "tasks")
        monkeypatch.setenv("PAYLOAD_BUCKET", "payloads")
        monkeypatch.setenv("CATALOGUE", str(tmp_path / "catalogue.json"))
        monkeypatch.setenv("STREAM_ARN", "arn:aws:dynamodb:us-east-1:123456789012:table/tasks/stream/now")
        # Otherwise so late a request would be one with another clock, and each case would last for 8 s.
        monkeypatch.setattr(apigateway, "LONGEST_WAY", LONGEST_REQUEST)
        aws.client.cache_clear()
        yield hole
    aws.client.cache_clear()


def handler(name: str) -> Handler:
    """Load the function's module anew, as a cold start does, and what its first request would load."""
    for revision in ("rev_2025_11_25", "rev_2026_07_28"):
        importlib.import_module(f"mcp_tasks.wire.{revision}.serve")
    module = importlib.import_module(f"functions.{name}.handler")
    handler: Handler = importlib.reload(module).handler
    return handler


def late(request_event: dict[str, Any]) -> dict[str, Any]:
    """Have the gateway take the request so long ago that little time is left."""
    began = time.time() - LONGEST_REQUEST.total_seconds() + LEFT
    request_event["requestContext"]["requestTimeEpoch"] = began * 1000
    return request_event


@pytest.mark.parametrize(
    "request_event",
    [
        pytest.param(event("initialize", HELLO), id="2025-11-25"),
        pytest.param(enveloped("tasks/cancel", {"taskId": "a" * 26}, tasks=True), id="2026-07-28"),
    ],
)
def test_a_call_is_answered_with_an_internal_error(hole: BlackHole, request_event: dict[str, Any]) -> None:
    serve_mcp = handler("serve_mcp")
    reply = serve_mcp(late(request_event), None)

    # The hole never lets go by itself: that there is an answer is the point, and that it is in time.
    assert time.time() - request_event["requestContext"]["requestTimeEpoch"] / 1000 < HANGS_UP
    assert json.loads(reply["body"]) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32603, "message": "Internal error: this took too long."},
    }
    assert hole.connections >= 1


def test_a_poll_is_told_to_come_again(hole: BlackHole) -> None:
    serve_mcp = handler("serve_mcp")
    request_event = enveloped("tasks/get", {"taskId": "a" * 26}, tasks=True)
    reply = serve_mcp(late(request_event), None)

    assert time.time() - request_event["requestContext"]["requestTimeEpoch"] / 1000 < HANGS_UP
    assert (reply["statusCode"], reply["headers"]["retry-after"]) == (503, "5")
    assert json.loads(reply["body"])["error"]["code"] == -31052
    assert hole.connections >= 1


def test_a_stream_is_told_to_resume_later(hole: BlackHole) -> None:
    await_task = handler("await_task")
    request_event = event("initialize", HELLO) | {"httpMethod": "GET", "body": None}
    request_event["headers"] = {"Accept": "text/event-stream", "Mcp-Session-Id": "one", "Last-Event-ID": "one"}
    reply = await_task(late(request_event), None)

    assert time.time() - request_event["requestContext"]["requestTimeEpoch"] / 1000 < HANGS_UP
    assert (reply["statusCode"], reply["body"]) == (200, "id: one\nretry: 5000\ndata: \n\n")
    assert hole.connections >= 1


@pytest.mark.parametrize("network", [aws.NETWORK, aws.MORE_RETRIES, aws.NO_RETRIES])
@pytest.mark.parametrize("hole", [SILENCE], indirect=True)
def test_a_silent_service_is_tried_a_few_times(hole: BlackHole, network: Config) -> None:
    hurried = network.merge(Config(read_timeout=0.05, connect_timeout=0.05))
    client = aws.client("dynamodb", hurried)

    with pytest.raises((ReadTimeoutError, ConnectTimeoutError)):
        client.get_item(TableName="tasks", Key={"PK": {"S": "a"}, "SK": {"S": "b"}})

    assert hole.connections == network.retries["total_max_attempts"]


@pytest.mark.parametrize(
    ("network", "at_most"),
    [
        (aws.NETWORK, LONGEST_REQUEST / 2),
        (aws.MORE_RETRIES, timedelta(seconds=31)),
        (aws.NO_RETRIES, timedelta(seconds=3)),
    ],
)
def test_a_silent_service_is_given_up_in_a_part_of_the_functions_time(network: Config, at_most: timedelta) -> None:
    """The client library waits up to 1, 2, 4, ... seconds between attempts."""
    attempts = network.retries["total_max_attempts"]
    waits = sum(min(2**attempt, LONGEST_BACK_OFF) for attempt in range(attempts - 1))

    assert network.connect_timeout == 1
    assert network.read_timeout <= 3
    assert timedelta(seconds=attempts * network.read_timeout + waits) <= at_most
