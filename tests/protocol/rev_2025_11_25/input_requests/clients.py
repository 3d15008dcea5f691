"""Clients that can be asked, and the ways in which they come to be."""

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
"""All that a client can declare, but for tasks of its own."""


def able(harness: Harness, caller: Caller = ADA, capabilities: Mapping[str, Any] = ABLE) -> Client:
    """Return a client that has shaken hands, and can be asked everything unless it says otherwise."""
    client = Client(harness, caller)
    client.initialize(capabilities)
    return client


def suspended(client: Client, tool: str = "publish", /, **arguments: Any) -> str:
    """Start a task that asks something, let it ask, and return its id."""
    task_id = client.start(tool, **arguments or ({"topic": "tides"} if tool == "publish" else {}))
    client.harness.run(task_id, client.caller)
    return task_id


def open_request(client: Client, task_id: str) -> Any:
    """Return what a new stream that waits for the task's result asks: one thing."""
    (input_request,) = wait(client, task_id).input_requests
    return input_request


def status(client: Client, task_id: str) -> str:
    """Return the status of a task, looked up where it is told and nothing is asked."""
    (task,) = (each for each in client.result("tasks/list")["tasks"] if each["taskId"] == task_id)
    return str(task["status"])


def wait(client: Client, task_id: str) -> Reply:
    """Wait for the result of a task."""
    return client.send_request("tasks/result", {"taskId": task_id})


def tasks_get(client: Client, task_id: str) -> Reply:
    """Look at a task."""
    return client.send_request("tasks/get", {"taskId": task_id})


def listen(client: Client, task_id: str = "") -> Reply:
    """Listen to whatever there is."""
    return client.resume(None)


STREAMS: Final[Mapping[str, Callable[[Client, str], Reply]]] = {"result": wait, "get": tasks_get, "listen": listen}
"""The streams on which a client can be asked what a task asks."""
