"""Bodies that could take a server much time, and benign ones of the same size to compare with."""

import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, Final

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.protocol.harness import Harness
from tests.protocol.rev_2026_07_28.client import Client, routing_headers

HEADERS: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
ROW: Final = {"id": 123456, "name": 'Ada, "Countess" of Lovelace', "born": 1815.12, "tags": ["x", "y"]}

SLACK: Final = 0.3
"""Seconds that a busy machine may lose."""

Send = Callable[[HttpRequest], HttpReply]


def honest(size: int) -> bytes:
    """Return a message with a table in it."""
    return _message([ROW] * (size // len(json.dumps(ROW))))


def hostile(size: int) -> Mapping[str, bytes]:
    """Return bodies that each cost more than they look like, if they can."""
    return {
        "quotes without an end": b'"' + rb"\"" * (size // 2),
        "backslashes": b'{"a": "' + b"\\\\" * (size // 2) + b'"}',
        "brackets": b"[" * size,
        "lists": _message([[]] * (size // 4)),
        "objects": _message([{"a": 0}] * (size // 10)),
        "texts": _message(["["] * (size // 5)),
        "names": _message({str(number): 0 for number in range(size // 12)}),
        "long numbers": _message([10**4_000] * (size // 4_003)),
        "exponents": b'{"a": [' + b"1e400," * (size // 6) + b"1]}",
        "half characters": b'{"a": "' + rb"\ud83d" * (size // 6) + b'"}',
    }


def overpriced(send: Send, size: int) -> dict[str, tuple[float, float]]:
    """Return which bodies take more than twice the time of an honest one, both in seconds."""
    fair = min(_seconds(send, honest(size)) for _ in range(3))
    taken = {name: min(_seconds(send, body) for _ in range(2)) for name, body in hostile(size).items()}
    return {name: (seconds, fair) for name, seconds in taken.items() if seconds > 2 * fair + SLACK}


def _seconds(send: Send, body: bytes) -> float:
    began = perf_counter()
    reply = send(HttpRequest(method="POST", headers=HEADERS | _routing(), body=body))
    taken = perf_counter() - began
    assert reply.status < 500, reply
    return taken


def _message(content: Any) -> bytes:
    message = Client(Harness()).build_request("tools/list", {"_meta": {"example.com/table": content}}, id=1)
    return json.dumps(message).encode()


def _routing() -> dict[str, str]:
    message = Client(Harness()).build_request("tools/list")
    return {name.replace("_", "-"): value for name, value in routing_headers(message).items()}
