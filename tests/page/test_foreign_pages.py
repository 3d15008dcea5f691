"""A web page of another machine, in Chromium, sends what it can to the ports of this one, and reaches nothing."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from local.emulator import running_emulator
from tests.foreign_requests import role_creation
from tests.local.raw import RecordingHandler, served

pytestmark = pytest.mark.slow


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>evil</title><body>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def evil_page() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield f"http://evil.test:{server.server_port}/"

        server.shutdown()


def opened(chromium: str, page: str, renamed: str, *targets: str) -> Any:
    program = Path(__file__).with_name("foreign.mjs")
    command = ["node", str(program), chromium, page, renamed, json.dumps(targets)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_page_makes_nothing_in_the_emulator(chromium: str) -> None:
    with running_emulator() as emulator, evil_page() as page:
        targets = [role_creation(emulator.url, method) for method in ("GET", "POST")]
        renamed = targets[0].replace("127.0.0.1", "evil.test")
        found = opened(chromium, page, renamed, *targets)
        roles = emulator.client("iam").list_roles()["Roles"]

    assert (roles, found["visited"], found["statuses"]) == ([], 403, [403])
    # What the page may not read it may send all the same, and that was refused.
    assert found["ways"] == ["sent", "sent", "failed", "failed", "failed"] * 2


def test_a_page_reaches_no_server_of_this_project(chromium: str) -> None:
    handler = RecordingHandler()
    with served(handler) as port, evil_page() as page:
        address = f"127.0.0.1:{port}/mcp"
        found = opened(chromium, page, f"http://evil.test:{port}/mcp", f"http://{address}", f"http://localhost:{port}/")

    assert (handler.heads, found["visited"], found["statuses"]) == ([], 403, [403])
