"""The protocol's own schemas, and what they say of a message that the server sent."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

DEFINITIONS = json.loads((Path(__file__).parent / "schema" / "mcp-2025-11-25.schema.json").read_text())["$defs"]

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "tasks/get": "GetTaskResult",
    # Whatever the call behind the task would have returned, and so far only tools can be called.
    "tasks/result": "CallToolResult",
    "tasks/list": "ListTasksResult",
    "tasks/cancel": "CancelTaskResult",
}

LABEL = r"[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?"
META_KEY = re.compile(rf"({LABEL}(\.{LABEL})*/)?([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?")


def check(message: Any, method: str | None, *, as_task: bool = False) -> None:
    """Fail unless the message is valid; `method` is what it answers, if it answers anything that could be read."""
    if "method" in message:
        assert "id" not in message, "the server asks nothing yet"
        _validate(message, "ServerNotification")
        _check_meta(message["params"])
    elif "error" in message:
        assert "result" not in message
        _validate(message, "JSONRPCErrorResponse")
        assert message["error"]["message"]
    else:
        assert method is not None, f"an answer to nothing: {message}"
        _validate(message, "JSONRPCResultResponse")
        _validate(message["result"], "CreateTaskResult" if as_task else RESULTS[method])
        _check_meta(message["result"])


def _check_meta(holder: Mapping[str, Any]) -> None:
    for key in holder.get("_meta", {}):
        assert META_KEY.fullmatch(key), f"no key for _meta: {key}"


def _validate(value: Any, name: str) -> None:
    _validator(name).validate(value)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFINITIONS})
