"""Bodies that a client compressed: read as API Gateway reads them, or rejected."""

import gzip
import tracemalloc
import zlib

import pytest

from mcp_tasks.wire.content_encoding import decoded
from mcp_tasks.wire.http import HttpReply, HttpRequest

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
PACKED = gzip.compress(PING, mtime=0)
"""The time is a part of what gzip writes, and bodies are names of tests, which two processes have to agree on."""

MEGABYTE = 1024 * 1024


def read(coding: str, body: bytes) -> HttpRequest | HttpReply:
    return decoded(HttpRequest(method="POST", headers={"content-encoding": coding, "accept": "*/*"}, body=body))


@pytest.mark.parametrize("coding", ["gzip", "GZIP", " gzip "])
def test_a_body_that_is_compressed_by_gzip_is_read(coding: str) -> None:
    found = read(coding, PACKED)

    assert isinstance(found, HttpRequest)
    assert (found.body, found.headers) == (PING, {"content-encoding": "identity", "accept": "*/*"})


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_a_body_that_is_not_compressed_is_as_it_was_sent(coding: str) -> None:
    found = read(coding, PING)

    assert isinstance(found, HttpRequest)
    assert found.body == PING


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("br", PING),
        ("deflate", zlib.compress(PING)),
        ("zstd", PING),
        ("gzip, gzip", gzip.compress(PACKED, mtime=0)),
        ("gzip", PING),
        ("gzip", b""),
        ("gzip", PACKED[:-1]),
        ("gzip", PACKED + b"x"),
    ],
)
def test_a_body_in_another_coding_than_it_says_or_than_gzip_is_415(coding: str, body: bytes) -> None:
    found = read(coding, body)

    assert isinstance(found, HttpReply)
    assert (found.status, found.headers["accept-encoding"]) == (415, "gzip, identity")
    assert '"code":-32600' in found.body


@pytest.mark.parametrize(("size", "status"), [(10 * MEGABYTE, None), (10 * MEGABYTE + 1, 413), (1_000 * MEGABYTE, 413)])
def test_a_body_has_ten_megabytes_at_most_once_it_is_decompressed(size: int, status: int | None) -> None:
    packer = zlib.compressobj(wbits=31)
    packed = b"".join(
        [*(packer.compress(b" " * min(MEGABYTE, size - at)) for at in range(0, size, MEGABYTE)), packer.flush()]
    )

    tracemalloc.start()
    found = read("gzip", packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (found.status if isinstance(found, HttpReply) else None) == status
    assert peak < 40 * MEGABYTE
