"""Requests of revision 2025-11-25 as API Gateway hands them to `serve_mcp`."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.messages import event

REVISION = "2025-11-25"
GREETING = event("ping", {})
"""A request that needs no session."""


class Messages:
    """What one client sends, in a session that it opens at once."""

    def __init__(self, answer: Callable[[Any], Mapping[str, Any]]) -> None:
        info = {"name": "calls", "version": "1"}
        self.hello = event("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": info})
        session = answer(self.hello)["headers"]["mcp-session-id"]
        self._headers = {"Mcp-Session-Id": session, "Mcp-Protocol-Version": REVISION}

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return a POST of a request."""
        return event(method, params, self._headers)

    def task(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return a POST of a `tools/call` that becomes a task."""
        return self.request("tools/call", {**params, "task": {"ttl": 60_000}})

    def task_id(self, result: Mapping[str, Any]) -> str:
        """Return the id of the task that was created."""
        return str(result["task"]["taskId"])
