"""A function that must not run twice: what surely was not sent is sent again, and nothing else, over real sockets."""

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError

from mcp_tasks import aws
from tests.kit import FixedClock
from tests.lambda_server import Lambda, lambda_server

Invoke = Callable[[Any], Any]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    clock = FixedClock()
    monkeypatch.setattr(aws, "clock", clock)
    return clock


@pytest.fixture(autouse=True)
def fresh_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    aws.client.cache_clear()
    yield
    aws.client.cache_clear()


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lambda]:
    with lambda_server() as function:
        monkeypatch.setenv("AWS_ENDPOINT_URL", function.url)
        yield function


@pytest.fixture
def invoke(function: Lambda, clock: FixedClock) -> Invoke:
    return aws.invoking_once("inline", aws.TO_INLINE)


def test_calls_share_a_connection(function: Lambda, invoke: Invoke, clock: FixedClock) -> None:
    for _ in range(5):
        assert invoke({}) is True
        clock.advance(aws.MAX_IDLE)

    assert (function.ran, function.connections) == (5, 1)


def test_a_connection_that_was_idle_for_long_is_not_used_again(
    function: Lambda, invoke: Invoke, clock: FixedClock
) -> None:
    invoke({})
    # While the process was frozen, the other end forgot it.
    function.forget()
    clock.advance(aws.MAX_IDLE + timedelta(seconds=1))

    assert invoke({}) is True
    assert (function.ran, function.connections) == (2, 2)


def test_a_connection_that_breaks_sooner_is_an_error_for_nobody_knows_what_arrived(
    function: Lambda, invoke: Invoke, clock: FixedClock
) -> None:
    invoke({})
    function.forget()

    with pytest.raises(ConnectionClosedError):
        invoke({})
    # The next call has a new one.
    assert invoke({}) is True
    assert function.ran == 2


def test_what_was_sent_is_not_sent_again(function: Lambda, invoke: Invoke) -> None:
    function.breaks_after_running = True

    with pytest.raises(ConnectionClosedError):
        invoke({})
    assert function.ran == 1


def test_what_was_not_sent_is_sent_again(
    monkeypatch: pytest.MonkeyPatch, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    port = _free_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    invoke, tried, opened = aws.invoking_once("inline", aws.TO_INLINE), 0, []
    with ExitStack() as open_now:

        def listen_at_last(**_: Any) -> None:
            nonlocal tried
            tried += 1
            if tried == aws.MAX_CONNECTED:
                opened.append(open_now.enter_context(lambda_server(port)))

        aws.client("lambda", aws.TO_INLINE).meta.events.register("before-send.lambda.Invoke", listen_at_last)
        assert invoke({}) is True

    assert [function.ran for function in opened] == [1]
    taken = [record.__dict__.get("fallback") for record in caplog.records if record.levelno == logging.WARNING]
    assert taken.count("sent_again") == aws.MAX_CONNECTED - 1


def test_it_is_given_up_where_nobody_listens(monkeypatch: pytest.MonkeyPatch, clock: FixedClock) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{_free_port()}")

    with pytest.raises(EndpointConnectionError):
        aws.invoking_once("inline", aws.TO_INLINE)({})


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
