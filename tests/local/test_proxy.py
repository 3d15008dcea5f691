"""`python -m local.proxy`: what comes in goes on with a token, and what comes back is passed back, as they are."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from local.emulator import PYTHON_PATH, ROOT
from local.proxy import Target, running_proxy

Headers = list[tuple[str, str]]
EVENT = b"id: 1\ndata: {}\n\n"


@dataclass(slots=True)
class Upstream:
    """A server that records its requests, and responds once as many are open as it waits for."""

    url: str = ""
    requests: list[tuple[str, str, Headers, bytes]] = field(default_factory=list)
    together: Barrier = field(default_factory=lambda: Barrier(1))


class Answering(BaseHTTPRequestHandler):
    def __init__(self, upstream: Upstream, *args: Any) -> None:
        self.upstream = upstream
        super().__init__(*args)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.upstream.requests.append((self.command, self.path, self.headers.items(), body))
        self.upstream.together.wait(timeout=10)
        self.send_response_only(202)
        self.send_header("Mcp-Session-Id", "s-1")
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(EVENT)

    do_GET = do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def answering() -> Iterator[Upstream]:
    upstream = Upstream()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Answering, upstream)) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        upstream.url = f"http://127.0.0.1:{server.server_port}/stage/mcp"
        yield upstream

        server.shutdown()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with answering() as upstream:
        yield upstream


@pytest.fixture
def connection(upstream: Upstream) -> Iterator[HTTPConnection]:
    with running_proxy(Target(url=upstream.url, token="t-1")) as url:
        connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
        yield connection

        connection.close()


def ask(connection: HTTPConnection, method: str = "POST", path: str = "/stage/mcp", **headers: str) -> HTTPResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, None if method == "GET" else b"{}", named)
    answer = connection.getresponse()
    answer.read()
    return answer


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_request_goes_on_as_it_is_with_a_token(upstream: Upstream, connection: HTTPConnection, method: str) -> None:
    ask(
        connection,
        method,
        "/stage/mcp?a=b",
        **{"Mcp-Name": "x", "Authorization": "Bearer mine", "Origin": "http://localhost:1"},
    )

    ((command, path, headers, body),) = upstream.requests
    assert (command, path, body) == (method, "/stage/mcp?a=b", b"" if method == "GET" else b"{}")
    assert {"mcp-name": "x", "origin": "http://localhost:1", "accept-encoding": "identity"}.items() <= dict(
        headers
    ).items()
    assert [value for name, value in headers if name.lower() == "authorization"] == ["Bearer t-1"]
    assert dict(headers)["Host"] == urlsplit(upstream.url).netloc


def test_an_answer_comes_back_as_it_is(connection: HTTPConnection) -> None:
    connection.request("POST", "/stage/mcp", b"{}")
    answer = connection.getresponse()

    assert (answer.status, answer.read()) == (202, EVENT)
    assert answer.getheaders() == [
        ("Mcp-Session-Id", "s-1"),
        ("Content-Type", "text/event-stream"),
        ("content-length", str(len(EVENT))),
    ]


def test_a_connection_is_kept(upstream: Upstream, connection: HTTPConnection) -> None:
    sockets = []
    for _ in range(3):
        ask(connection)
        sockets.append(connection.sock)

    assert len(upstream.requests) == 3
    assert sockets == [sockets[0]] * 3 != [None] * 3


def test_nobody_waits_for_somebody_else(upstream: Upstream, connection: HTTPConnection) -> None:
    upstream.together = Barrier(3)
    everybody = [HTTPConnection(connection.host, connection.port, timeout=10) for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(ask, everybody))
    for each in everybody:
        each.close()

    assert [answer.status for answer in answers] == [202] * 3


def test_a_page_that_made_its_name_lead_here_is_rejected(upstream: Upstream, connection: HTTPConnection) -> None:
    assert ask(connection, host="attacker.example").status == 403
    assert upstream.requests == []


def test_a_page_of_another_origin_is_rejected_whatever_the_server_says(
    upstream: Upstream, connection: HTTPConnection
) -> None:
    assert [ask(connection, origin=origin).status for origin in ("https://evil.test", "null")] == [403, 403]
    assert upstream.requests == []


def test_there_is_one_path(upstream: Upstream, connection: HTTPConnection) -> None:
    others = ("/", "/stage", "/stage/mcp//", "/stage//mcp", "//stage/mcp", "/stage/mcpx")

    assert {path: ask(connection, path=path).status for path in others} == dict.fromkeys(others, 404)
    assert upstream.requests == []


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_slash_at_the_end_makes_no_difference_and_the_server_gets_its_own_path(
    upstream: Upstream, slash: str
) -> None:
    with running_proxy(Target(url=f"{upstream.url}{slash}", token="t-1")) as url:
        connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
        forwarded = [ask(connection, path=path).status for path in ("/stage/mcp", "/stage/mcp/", "/stage/mcp/?a=b")]
        page = ask(connection, "GET", "/stage/")
        connection.close()

    assert url.endswith("/stage/mcp")
    assert forwarded == [202, 202, 202]
    paths = [path for _, path, *_ in upstream.requests]
    assert paths == [f"/stage/mcp{slash}", f"/stage/mcp{slash}", f"/stage/mcp{slash}?a=b"]
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_server_at_the_root_of_its_host_is_called_there(upstream: Upstream, slash: str) -> None:
    root = upstream.url.removesuffix("/stage/mcp")
    with running_proxy(Target(url=f"{root}{slash}", token="t-1")) as url:
        connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
        assert ask(connection, path="/").status == 202
        connection.close()

    assert url.endswith("/")
    assert [path for _, path, *_ in upstream.requests] == ["/"]


def test_a_body_in_chunks_goes_on_in_one_piece(upstream: Upstream, connection: HTTPConnection) -> None:
    connection.request("POST", "/stage/mcp", iter([b"{", b"}"]), encode_chunked=True)
    assert connection.getresponse().status == 202

    ((_, _, headers, body),) = upstream.requests
    assert body == b"{}"
    assert "transfer-encoding" not in dict(headers)


def test_a_server_that_is_not_there_is_said_to_be_so(connection: HTTPConnection) -> None:
    with ExitStack() as gone:
        url = gone.enter_context(answering()).url
    with running_proxy(Target(url=url, token="t-1")) as here:
        connection = HTTPConnection(urlsplit(here).netloc, timeout=10)
        assert ask(connection).status == 502
        connection.close()


def test_a_client_that_leaves_is_not_missed(
    upstream: Upstream, connection: HTTPConnection, capfd: pytest.CaptureFixture[str]
) -> None:
    upstream.together = Barrier(2)
    connection.request("POST", "/stage/mcp", b"{}")
    connection.close()
    upstream.together.wait(timeout=10)
    upstream.together = Barrier(1)

    assert ask(connection).status == 202
    assert capfd.readouterr().err == ""


def test_the_command_wants_a_token() -> None:
    command = [sys.executable, "-m", "local.proxy", "http://127.0.0.1:9/mcp"]
    environment = {name: value for name, value in os.environ.items() if name != "TOKEN"} | {"PYTHONPATH": PYTHON_PATH}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "set TOKEN" in done.stderr
