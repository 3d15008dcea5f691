"""Clients that can respond to input requests, and the streams on which these are sent."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.replies import Reply
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.client import Client

RELATED: Final = "io.modelcontextprotocol/related-task"

ANSWERS: Final[Mapping[str, Any]] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {"listChanged": True},
}
ABLE: Final[Mapping[str, Any]] = {**ANSWERS, "tasks": {}}
"""All capabilities of a client, except tasks of its own."""


def able(harness: Harness, caller: Caller = ADA, capabilities: Mapping[str, Any] = ABLE) -> Client:
    """Return a client with a session, and with all capabilities unless others are given."""
    client = Client(harness, caller)
    client.initialize(capabilities)
    return client


def suspended(client: Client, tool: str = "publish", /, **arguments: Any) -> str:
    """Start a task, run it to its first input request, and return its id."""
    task_id = client.start(tool, **arguments or ({"topic": "tides"} if tool == "publish" else {}))
    client.harness.run(task_id, client.caller)
    return task_id


def open_request(client: Client, task_id: str) -> Any:
    """Return the only request on a new stream that waits for the task's result."""
    (input_request,) = wait(client, task_id).input_requests
    return input_request


def status(client: Client, task_id: str) -> str:
    """Return the status of a task by tasks/list, whose response carries no input requests."""
    (task,) = (each for each in client.result("tasks/list")["tasks"] if each["taskId"] == task_id)
    return str(task["status"])


def wait(client: Client, task_id: str) -> Reply:
    """Send tasks/result."""
    return client.send_request("tasks/result", {"taskId": task_id})


def tasks_get(client: Client, task_id: str) -> Reply:
    """Send tasks/get."""
    return client.send_request("tasks/get", {"taskId": task_id})


def listen(client: Client, task_id: str = "") -> Reply:
    """Open a listening stream."""
    return client.resume(None)


STREAMS: Final[Mapping[str, Callable[[Client, str], Reply]]] = {"result": wait, "listen": listen}
"""The streams on which a task's input requests can be sent."""
