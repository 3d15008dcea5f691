"""Requests as API Gateway hands them to `serve_mcp`, of either revision."""

import json
import time
from collections.abc import Mapping
from typing import Any

NAMED_BY = {"tools/call": "name", "tasks/get": "taskId"}


def event(method: str, params: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a POST of one request."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    fixed = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return {
        "httpMethod": "POST",
        "headers": {**fixed, **(headers or {})},
        "body": json.dumps(message),
        "isBase64Encoded": False,
        "requestContext": {
            "authorizer": {"tenant": "acme", "subject": "ada", "scopes": ""},
            # As if it came in an hour: time passes while the same event is sent over and over.
            "requestTimeEpoch": (time.time() + 3600) * 1000,
        },
    }


def enveloped(method: str, params: Mapping[str, Any], *, tasks: bool = False) -> dict[str, Any]:
    """Return a POST of one request of revision 2026-07-28, by a client that knows tasks or does not."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}
        if tasks
        else {},
    }
    headers = {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    named = {"Mcp-Name": str(params[NAMED_BY[method]])} if method in NAMED_BY else {}
    return event(method, {**params, "_meta": meta}, headers | named)
