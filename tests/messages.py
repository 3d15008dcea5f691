"""Requests as API Gateway hands them to `serve_mcp`, of any revision."""

import json
import time
from collections.abc import Mapping
from typing import Any


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
