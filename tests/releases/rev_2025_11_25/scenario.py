"""What clients of 2025-11-25 have begun, and hold of it; also run by the release before."""

from typing import Any

from mcp_tasks.testing.rev_2025_11_25 import Client
from tests.harness.tasks import DeployedTasks
from tests.releases.tools import NOTES


def said(words: str) -> dict[str, Any]:
    """Return the content of a response."""
    return {"action": "accept", "content": {"words": words}}


def client_of(tasks: DeployedTasks) -> Client:
    """Return a client that knows tasks, and can be asked."""
    client = tasks.connect()
    assert isinstance(client, Client)
    return client


def record(tasks: DeployedTasks) -> dict[str, Any]:
    """Begin what the release that follows has to go on with, and return what the client holds."""
    client = client_of(tasks)
    client.initialize()
    asked = client.start("ask", keys=["one"])
    tasks.harness.run_until_idle()
    followed = client.send_request("tasks/result", {"taskId": asked}, id="follows")
    half = client.start("ask", keys=["one", "two"])
    tasks.harness.run_until_idle()
    (first,) = client.send_request("tasks/result", {"taskId": half}).input_requests
    assert client.respond(first, said("first")).status == 202
    tasks.harness.run_until_idle()
    napping = client.start("nap", hours=48)
    tasks.harness.run_until_idle()
    call = client.send_request("tools/call", {"name": "ask", "arguments": {"keys": ["call"]}}, id="calls")
    client.result("resources/subscribe", uri=NOTES)
    listening = client.resume(None)
    listed = client.result("tasks/list")
    return {
        "headers": client.headers,
        "asked": asked,
        "asked_event": followed.last_event_id,
        "asked_request": followed.input_requests[0],
        "half": half,
        "napping": napping,
        "call_event": call.last_event_id,
        "call_request": call.input_requests[0],
        "half_request": listening.input_requests[0],
        "listening_event": listening.last_event_id,
        "tools_cursor": client.result("tools/list")["nextCursor"],
        "tasks_cursor": listed["nextCursor"],
        "tasks_listed": [task["taskId"] for task in listed["tasks"]],
    }
