"""Large payloads on a slow connection: the time limit is for one read, however many there are."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from botocore.config import Config

from mcp_tasks import aws
from mcp_tasks.adapters.s3 import Payloads

LARGE = {"text": "x" * 4_000_000}
PIECES = 8
LIMIT = 0.4
PAUSE = 0.1


class SlowBucket(BaseHTTPRequestHandler):
    """One object, in pieces: together they take twice the limit, and none of them comes near it."""

    protocol_version = "HTTP/1.1"
    stored = b""

    def do_GET(self) -> None:
        body = type(self).stored
        size = -(-len(body) // PIECES)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for start in range(0, len(body), size):
            time.sleep(PAUSE)
            self.wfile.write(body[start : start + size])

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def slow_bucket() -> Iterator[str]:
    """Serve until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SlowBucket)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def payloads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Payloads]:
    with slow_bucket() as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        limits = Config(connect_timeout=LIMIT, read_timeout=LIMIT, retries={"total_max_attempts": 1})
        client = aws.client("s3", aws.NETWORK.merge(limits).merge(Config(s3={"addressing_style": "path"})))
        yield Payloads(client=lambda: client, bucket="payloads")
    aws.client.cache_clear()


def test_a_large_payload_is_read_for_longer_than_the_limit_of_a_read(payloads: Payloads) -> None:
    packed = payloads.pack("acme#ada", "task", LARGE)
    SlowBucket.stored = packed.body or b""
    item = {"PK": {"S": "acme#ada"}, "SK": {"S": "args#task"}, **packed.attributes}

    assert payloads.unpack(item, lambda stored: stored) == LARGE
