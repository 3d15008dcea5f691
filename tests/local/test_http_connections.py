"""The connections of the local HTTP server: who dawdles, leaves or waits holds up nobody, and nobody is waited for."""

import logging
import socket
from threading import Event

import pytest

from local import http_server
from local.http_server import Answer, Head, Reply
from tests.local.raw import Line, RecordingHandler, served
from tests.timeout import until

POST = ("POST / HTTP/1.1", "Host: 127.0.0.1:1")


@pytest.fixture
def site() -> RecordingHandler:
    return RecordingHandler()


def test_who_leaves_once_all_is_sent_is_served(site: RecordingHandler) -> None:
    with served(site) as port:
        with Line(port) as leaving:
            leaving.send(*POST, "Content-Length: 2", body=b"{}")
        until(lambda: site.bodies == [b"{}"])


def test_who_leaves_in_the_middle_is_not_missed(site: RecordingHandler, caplog: pytest.LogCaptureFixture) -> None:
    with served(site) as port:
        for sent in (b"POST", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}"):
            with Line(port) as leaving:
                leaving.push(sent)
        with Line(port) as other:
            other.send(*POST, "Content-Length: 1", body=b"x")
            assert other.answer() == (200, b"x")

    assert site.bodies == [b"x"]
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nX-", 408),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}", 408),
    ],
    ids=["a head", "a body"],
)
def test_what_does_not_come_to_its_end_is_cut_off(site: RecordingHandler, sent: bytes, status: int) -> None:
    with served(site, timeout=1) as port, Line(port) as slow:
        slow.push(sent)

        assert slow.answer()[0] == status
        assert slow.closed()


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"],
    ids=["nothing", "the rest of what was refused"],
)
def test_a_connection_on_which_nothing_comes_is_closed(site: RecordingHandler, sent: bytes) -> None:
    with served(site, timeout=1) as port, Line(port) as idle:
        idle.push(sent)
        if sent:
            idle.answer()

        assert idle.closed()


def test_those_who_wait_or_dawdle_hold_up_nobody() -> None:
    over, waiting = Event(), []

    def site(head: Head) -> Reply | Answer:
        return _wait if head.path == "/wait" else lambda body: Reply(status=200, body=body)

    def _wait(body: bytes) -> Reply:
        waiting.append(body)
        over.wait(30)
        return Reply(status=200)

    with served(site) as port:
        lines = [Line(port) for _ in range(120)]
        for index, line in enumerate(lines):
            line.push(b"GET /wait HTTP/1.1\r\nHost: localhost\r\n" + (b"\r\n" if index % 2 else b"X-Slow: "))
        with Line(port) as quick:
            for _ in range(20):
                quick.send(*POST, "Content-Length: 1", body=b"x")
                assert quick.answer() == (200, b"x")
        over.set()
        assert [line.answer()[0] for line in lines[1::2]] == [200] * 60
        for line in lines:
            line.__exit__()


def test_connections_beyond_the_limit_get_an_error_that_says_so(
    site: RecordingHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MOST_CONNECTIONS", 3)
    with served(site) as port, Line(port), Line(port), Line(port) as third:
        third.send(*POST, "Content-Length: 0")

        assert third.answer()[0] == 503


def test_what_goes_wrong_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    def site(head: Head) -> Reply | Answer:
        raise KeyError("a secret")

    with served(site) as port, Line(port) as line:
        line.send(*POST, "Content-Length: 0")
        status, body = line.answer()

    assert (status, b"secret" in body) == (500, False)
    assert "a secret" in caplog.text


def test_nobody_is_waited_for_at_the_end() -> None:
    arrived, over = Event(), Event()

    def site(head: Head) -> Reply:
        arrived.set()
        over.wait(30)
        return Reply(status=200)

    with served(site) as port:
        line = Line(port)
        line.send(*POST, "Content-Length: 0")
        assert arrived.wait(10)

    assert not over.is_set()
    assert line.answer()[0] == 503
    over.set()
    line.__exit__()


def test_other_machines_do_not_get_here(site: RecordingHandler) -> None:
    with http_server.listen() as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
        assert listening.family == socket.AF_INET
