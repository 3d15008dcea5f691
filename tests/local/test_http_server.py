"""The local HTTP server, byte by byte: each request is answered clearly or cut off, and none holds up another."""

import json
import socket
from collections.abc import Iterator

import pytest

from local.http_connections import MOST_PIECES
from local.http_server import Head, Reply
from mcp_tasks.limits.aws import MAX_BODY_BYTES, MAX_HEADERS_BYTES
from tests.local.raw import Line, RecordingHandler, served

POST = ("POST / HTTP/1.1", "Host: 127.0.0.1:1")
CHUNKED = (*POST, "Transfer-Encoding: chunked")
FOLLOWING = b"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"


@pytest.fixture
def site() -> RecordingHandler:
    return RecordingHandler()


@pytest.fixture
def line(site: RecordingHandler) -> Iterator[Line]:
    with served(site) as port, Line(port) as line:
        yield line


@pytest.mark.parametrize(
    "length",
    [
        *("-1", "+2", "two", "2.0", "0x2", "1_0", "2 2", "", "2, 3", "٣"),
        pytest.param("9" * 5000, id="a length of 5000 digits"),
    ],
)
def test_a_length_that_is_none_is_rejected(site: RecordingHandler, line: Line, length: str) -> None:
    line.push("\r\n".join([*POST, f"Content-Length: {length}", "", ""]).encode() + b"{}" + FOLLOWING)

    assert line.answer()[0] == 400
    assert line.closed()
    assert site.heads == []


def test_two_lengths_are_rejected_unless_they_agree(site: RecordingHandler, line: Line) -> None:
    line.send(*POST, "Content-Length: 2", "Content-Length: 2", body=b"{}")
    assert line.answer() == (200, b"{}")

    line.send(*POST, "Content-Length: 2", "Content-Length: 3", body=b"{}")
    assert line.answer()[0] == 400
    assert line.closed()
    assert len(site.heads) == 1


def test_a_length_beside_chunks_is_rejected(site: RecordingHandler, line: Line) -> None:
    line.send(*CHUNKED, "Content-Length: 5", body=b"0\r\n\r\n" + FOLLOWING)

    assert line.answer()[0] == 400
    assert line.closed()
    assert site.heads == []


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit])
def test_a_handler_that_raises_anything_is_answered_for(error: type[BaseException]) -> None:
    def failing(head: Head) -> Reply:
        raise error

    with served(failing) as port:
        for _ in range(2):
            with Line(port) as line:
                line.send(*POST)

                status, body = line.answer()
                assert (status, json.loads(body)["error"]["message"]) == (500, "Internal error.")


@pytest.mark.parametrize("coding", ["gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked"])
def test_a_coding_other_than_chunks_is_rejected(site: RecordingHandler, line: Line, coding: str) -> None:
    line.send(*POST, f"Transfer-Encoding: {coding}", body=b"0\r\n\r\n")

    assert line.answer()[0] == 400
    assert line.closed()
    assert site.heads == []


def test_a_body_in_chunks_is_one_body_and_no_other_request(site: RecordingHandler, line: Line) -> None:
    line.send(*CHUNKED, body=b"2;why=not\r\n{}\r\n1\r\n \r\n0\r\nTrailer: x\r\n\r\n")
    assert line.answer() == (200, b"{} ")

    line.send(*CHUNKED, body=b"%x\r\n%s\r\n0\r\n\r\n" % (len(FOLLOWING), FOLLOWING))
    assert line.answer() == (200, FOLLOWING)
    assert len(site.heads) == 2


@pytest.mark.parametrize("chunk", [b"-1\r\n", b"zz\r\n", b"2\r\n{}garbage\r\n", b"\r\n", b"f" * 30 + b"\r\n"])
def test_chunks_that_are_none_end_the_connection(site: RecordingHandler, line: Line, chunk: bytes) -> None:
    line.send(*CHUNKED, body=chunk + FOLLOWING)

    assert line.answer()[0] == 400
    assert line.closed()
    assert site.bodies == []


def test_a_body_in_crumbs_is_rejected(site: RecordingHandler, line: Line) -> None:
    line.send(*CHUNKED, body=b"1\r\nx\r\n" * MOST_PIECES + b"0\r\n\r\n")
    assert line.answer() == (200, b"x" * MOST_PIECES)

    line.send(*CHUNKED, body=b"1\r\nx\r\n" * (MOST_PIECES + 1))
    assert line.answer()[0] == 400
    assert line.closed()
    assert len(site.bodies) == 1


@pytest.mark.parametrize("rest", [b"garbage\r\n", b"1\r\nx\r\n" * (MOST_PIECES + 1)], ids=["garbage", "crumbs"])
def test_what_was_rejected_and_goes_on_wrongly_is_cut_off(
    site: RecordingHandler, line: Line, rest: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    line.send("POST /refused HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked")
    assert line.answer() == (403, b"")
    line.push(rest)

    assert line.closed()
    assert caplog.records == []


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 300,
        b"\x00" * 100 + b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET / \xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"x" * 65_537,
    ],
    ids=["TLS", "zeros", "no target", "no host", "two hosts", "space", "NUL", "bytes", "endless"],
)
def test_garbage_is_rejected(site: RecordingHandler, line: Line, sent: bytes) -> None:
    line.push(sent)

    assert line.answer()[0] == 400
    assert line.closed()
    assert site.heads == []


@pytest.mark.parametrize("sent", [b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
def test_other_versions_of_http_are_not_spoken(site: RecordingHandler, line: Line, sent: bytes) -> None:
    line.push(sent)

    assert line.answer()[0] == 505
    assert line.closed()
    assert site.heads == []


def test_an_answer_in_two_pieces_waits_for_no_acknowledgement(line: Line) -> None:
    # The second piece would wait up to 40 ms for the client's acknowledgement of the first (Nagle).
    line.send("GET / HTTP/1.1", "Host: 127.0.0.1:1")
    assert line.answer()[0] == 200

    assert line.accepted_option(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


def test_headers_have_the_gateways_limit(site: RecordingHandler, line: Line) -> None:
    line.send(*POST, f"X: {'x' * (MAX_HEADERS_BYTES - len('127.0.0.1:1') - 1)}", "Content-Length: 0")
    assert line.answer()[0] == 200

    line.send(*POST, f"X: {'x' * MAX_HEADERS_BYTES}", "Content-Length: 0")
    assert line.answer()[0] == 431
    assert len(site.heads) == 1


def test_a_body_has_lambdas_limit(site: RecordingHandler, line: Line) -> None:
    line.send(*POST, f"Content-Length: {MAX_BODY_BYTES}", body=b"x" * MAX_BODY_BYTES)
    assert line.answer() == (200, b"x" * MAX_BODY_BYTES)

    # Refused by what it says, before any of it comes.
    line.send(*POST, f"Content-Length: {300 * 1024 * 1024}")
    assert line.answer()[0] == 413
    assert len(site.bodies) == 1


def test_a_body_that_does_not_say_how_long_it_is_has_it_too(site: RecordingHandler, line: Line) -> None:
    line.send(*CHUNKED)
    chunk = b"%x\r\n%s\r\n" % (1024 * 1024, b"x" * 1024 * 1024)
    for _ in range(7):
        line.push(chunk)

    assert line.answer()[0] == 413
    assert site.bodies == []


def test_a_rejection_is_sent_before_the_body_comes(site: RecordingHandler, line: Line) -> None:
    line.send("POST /refused HTTP/1.1", "Host: localhost", f"Content-Length: {300 * 1024 * 1024}")
    assert line.answer() == (403, b"")

    # A client that sends it nevertheless gets the response and no reset.
    for _ in range(8):
        line.push(b"x" * 1024 * 1024)
    assert site.bodies == []


def test_a_body_is_only_asked_for_when_it_is_wanted(site: RecordingHandler, line: Line) -> None:
    line.send(*POST, "Content-Length: 2", "Expect: 100-continue")
    assert line.answer()[0] == 100
    line.push(b"{}")
    assert line.answer() == (200, b"{}")

    line.send("POST /refused HTTP/1.1", "Host: localhost", "Content-Length: 2", "Expect: 100-continue")
    assert line.answer()[0] == 403


def test_requests_may_be_sent_ahead_and_are_answered_in_turn(site: RecordingHandler, line: Line) -> None:
    for body in (b"a", b"bb", b"ccc"):
        line.send(*POST, f"Content-Length: {len(body)}", body=body)

    assert [line.answer() for _ in range(3)] == [(200, b"a"), (200, b"bb"), (200, b"ccc")]
    assert site.bodies == [b"a", b"bb", b"ccc"]


def test_the_older_version_of_http_is_spoken(site: RecordingHandler, line: Line) -> None:
    line.send("POST / HTTP/1.0", "Host: localhost", "Content-Length: 2", body=b"{}")

    assert line.answer() == (200, b"{}")
    assert line.closed()
