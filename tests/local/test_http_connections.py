"""The connections of the local HTTP server: who dawdles, leaves or waits holds up nobody, and nobody is waited for."""

import logging
import socket
from contextlib import ExitStack
from threading import Event

import pytest

from local import http_connections, http_server
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


def test_idle_connection_makes_room_for_a_new_one(site: RecordingHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connections, "MOST_CONNECTIONS", 3)
    with served(site) as port, Line(port) as used, Line(port) as idle, Line(port) as begun:
        begun.push(b"POST / HTTP/1.1\r\nX-")
        used.send(*POST, "Content-Length: 1", body=b"x")
        assert used.answer() == (200, b"x")
        with Line(port) as new:
            new.send(*POST, "Content-Length: 1", body=b"y")
            assert new.answer() == (200, b"y")
            assert idle.closed()
            # The one that was used last is kept.
            used.send(*POST, "Content-Length: 1", body=b"z")
            assert used.answer() == (200, b"z")


def test_thousands_of_idle_connections_hold_up_nobody(site: RecordingHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connections, "MOST_CONNECTIONS", 20)
    with served(site) as port, ExitStack() as stack:
        for number in range(200):
            stack.enter_context(Line(port))
            if number % 20 == 0:
                with Line(port) as other:
                    other.send(*POST, "Content-Length: 1", body=b"x")
                    assert other.answer() == (200, b"x")


def test_held_requests_are_not_cut_off_and_further_ones_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connections, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(http_server, "MOST_REQUESTS", 2)
    over, held = Event(), []

    def site(head: Head) -> Reply:
        if head.path == "/held":
            held.append(head)
            over.wait(30)
        return Reply(status=200)

    with served(site) as port, Line(port) as first, Line(port) as second:
        for line in (first, second):
            line.send("GET /held HTTP/1.1", "Host: 127.0.0.1:1")
        until(lambda: len(held) == 2)
        for _ in range(5):
            with Line(port) as refused:
                refused.send(*POST, "Content-Length: 0")
                assert refused.answer()[0] == 503
                assert refused.closed()
        over.set()
        assert [first.answer()[0], second.answer()[0]] == [200, 200]
        first.send(*POST, "Content-Length: 0")
        assert first.answer()[0] == 200


def test_held_requests_whose_clients_have_left_count_until_their_threads_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MOST_REQUESTS", 2)
    over, held = Event(), []

    def site(head: Head) -> Reply:
        if head.path == "/held":
            held.append(head)
            over.wait(30)
        return Reply(status=200)

    def status(port: int) -> int:
        with Line(port) as line:
            line.send(*POST, "Content-Length: 0")
            return line.answer()[0]

    with served(site) as port:
        for number in range(1, 3):
            with Line(port) as leaving:
                leaving.send("GET /held HTTP/1.1", "Host: 127.0.0.1:1")
                until(lambda number=number: len(held) == number)  # type: ignore[misc]
        assert status(port) == 503
        over.set()
        until(lambda: status(port) == 200)


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
