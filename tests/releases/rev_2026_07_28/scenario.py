"""What clients of 2026-07-28 have begun, and hold of it; also run by the release before."""

from typing import Any

from mcp_tasks.testing.rev_2026_07_28 import Client
from tests.harness.tasks import DeployedTasks


def said(words: str) -> dict[str, Any]:
    """Return the content of a response."""
    return {"action": "accept", "content": {"words": words}}


def client_of(tasks: DeployedTasks, *, knows_tasks: bool) -> Client:
    """Return a client that can be asked."""
    client = tasks.connect(tasks=knows_tasks)
    assert isinstance(client, Client)
    return client


def record(tasks: DeployedTasks) -> dict[str, Any]:
    """Begin what the release that follows has to go on with, and return what the client holds."""
    client, plain = client_of(tasks, knows_tasks=True), client_of(tasks, knows_tasks=False)
    asked = client.start("ask", keys=["one"])
    half = client.start("ask", keys=["one", "two"])
    tasks.harness.run_until_idle()
    client.result("tasks/update", taskId=half, inputResponses={"one": said("first")})
    napping = client.start("nap", hours=48)
    tasks.harness.run_until_idle()
    backed = plain.call("ask", keys=["call"])
    inline = plain.call("ask_at_once", keys=["one", "two"])
    again = plain.retry(inline, "ask_at_once", {"keys": ["one", "two"]}, one=said("first"))
    return {
        "asked": asked,
        "half": half,
        "napping": napping,
        "backed": backed,
        "inline": again,
        "tools_cursor": client.result("tools/list")["nextCursor"],
    }
