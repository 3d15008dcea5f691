"""The trace that a request belongs to: its client's by W3C Trace Context, or else the one that API Gateway began.

2026-07-28 reserves `_meta.traceparent` for it (SEP-414); a client of 2025-11-25 may send it as well.
"""

import re
from typing import Final

from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import Batch, Message, Notification, Request

# W3C Trace Context, 3.2: versions to come may add fields; ff is none, and an id of zeros belongs to no trace.
TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
XRAY: Final = re.compile(r"Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;.*)?")


def trace_of(request: HttpRequest, message: Message | Batch | None) -> str | None:
    """Return the id of the request's trace, 32 hexadecimal digits; what is malformed counts as absent."""
    for given in (_in_meta(message), request.headers.get("traceparent")):
        if isinstance(given, str) and (found := TRACEPARENT.fullmatch(given.strip())):
            return found[1]
    begun = XRAY.fullmatch(request.headers.get("x-amzn-trace-id", ""))
    return begun and begun[1] + begun[2]


def _in_meta(message: Message | Batch | None) -> JSON:
    meta = message.params.get("_meta") if isinstance(message, Request | Notification) else None
    return meta.get("traceparent") if isinstance(meta, dict) else None
