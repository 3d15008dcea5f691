"""Decompresses the bodies of requests, as API Gateway does before it invokes a function."""

import zlib
from dataclasses import replace

from mcp_tasks.limits.aws import MAX_DECOMPRESSED_BYTES
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, HttpRequest, json_reply
from mcp_tasks.wire.jsonrpc import INVALID_REQUEST, RpcError

HEADER = "content-encoding"


def decoded(request: HttpRequest) -> HttpRequest | HttpReply:
    """Return a request with its body as it was before it was compressed, or the reply to one that cannot be read."""
    coding = request.headers.get(HEADER, "").strip().lower()
    if coding in ("", "identity"):
        return request
    if coding != "gzip":
        return _reject(415, "A body is compressed by gzip, or not at all.")
    # 16 more than the size of the window is the header of gzip.
    stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        body = stream.decompress(request.body, MAX_DECOMPRESSED_BYTES + 1)
    except zlib.error:
        return _reject(415, "Content-Encoding says gzip, and the body is not.")
    if len(body) > MAX_DECOMPRESSED_BYTES:
        return _reject(413, f"A body may have at most {MAX_DECOMPRESSED_BYTES} bytes once it is decompressed.")
    if not stream.eof or stream.unused_data:
        return _reject(415, "The body is not one whole gzip stream.")
    return replace(request, body=body, headers={**request.headers, HEADER: "identity"})


def _reject(status: int, message: str) -> HttpReply:
    # RFC 9110 15.5.16: a 415 for a coding names those that are accepted.
    headers = {"accept-encoding": "gzip, identity"} if status == 415 else {}
    return json_reply(jsonrpc.error(None, RpcError(INVALID_REQUEST, message)), status=status, headers=headers)
