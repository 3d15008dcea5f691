"""Requests of revision 2026-07-28 as API Gateway hands them to `serve_mcp`."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.messages import event

NAMED_BY = {"tools/call": "name", "tasks/get": "taskId"}


class Messages:
    """What one client sends; it needs no session."""

    def __init__(self, answer: Callable[[Any], Mapping[str, Any]]) -> None:
        self.hello = GREETING

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return a POST of a request."""
        return enveloped(method, params, tasks=method.startswith("tasks/"))

    def task(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return a POST of a `tools/call` that becomes a task."""
        return enveloped("tools/call", params, tasks=True)

    def task_id(self, result: Mapping[str, Any]) -> str:
        """Return the id of the task that was created."""
        return str(result["taskId"])


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


GREETING = enveloped("server/discover", {})
"""A request that any client may begin with."""
