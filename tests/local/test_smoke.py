"""`make smoke` where an address is not that of an MCP server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from local.emulator import ROOT
from local.smoke import Stage, report
from mcp_tasks.wire.revisions import PACKAGES


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that answers everything alike."""
    status, headers, body = request.param

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *values: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}/mcp"
        finally:
            listening.shutdown()


JSON = {"content-type": "application/json"}
METADATA = {"www-authenticate": 'Bearer resource_metadata="http://elsewhere/metadata"'}


@pytest.mark.parametrize(
    "server",
    [
        (200, {"content-type": "text/html"}, b"<html>"),
        (200, {}, b""),
        (200, JSON, b"[]"),
        (200, JSON, b'{"jsonrpc": "2.0", "id": 1, "result": {}}'),
        (301, {"location": "https://elsewhere/"}, b""),
        (401, METADATA, b""),
    ],
    ids=["a page", "nothing", "a list", "an empty result", "a redirection", "metadata that are none"],
    indirect=True,
)
def test_a_server_of_something_else_fails_every_check_in_a_line(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fails_all(server, capsys)


@pytest.mark.parametrize("url", ["http://[::/", "http://127.0.0.1:port/", "127.0.0.1"])
def test_what_is_no_address_fails_every_check_in_a_line(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fails_all(url, capsys)


def fails_all(url: str, capsys: pytest.CaptureFixture[str]) -> bool:
    """Make the checks of what is there, and return whether each said in a line that it failed."""
    checks = dict(Stage(url=url, token="token", queues={}, tool="greet", arguments={}).checks())
    del checks["no dead letters wait"]

    status, lines = report(checks), capsys.readouterr().out.splitlines()
    return status == 1 and [line.split()[0] for line in lines] == ["FAILED"] * (1 + 2 * len(PACKAGES))


@pytest.mark.parametrize("token", ["first\nsecond", "a token", "täken"])
def test_a_token_that_no_header_takes_is_refused_and_not_printed(token: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "local.smoke"],
        cwd=ROOT,
        env=os.environ | {"TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("TOKEN should be the access token of a subject")
    assert token not in done.stdout + done.stderr
