"""Input requests of tasks, and responses to them."""

from typing import Any

from tests.protocol.rev_2026_07_28.client import Client


def suspended(client: Client, tool: str = "publish", /, **arguments: Any) -> str:
    """Start a task, run it to its first input request, and return its id."""
    task_id = client.start(tool, **arguments or ({"topic": "tides"} if tool == "publish" else {}))
    client.harness.run(task_id, client.caller)
    return task_id


def open_requests(client: Client, task_id: str) -> Any:
    """Return the open input requests of a task, by key."""
    return client.tasks_get(task_id)["inputRequests"]


def status(client: Client, task_id: str) -> str:
    """Return the status of a task."""
    return str(client.tasks_get(task_id)["status"])


def update(client: Client, task_id: str, /, **answers: Any) -> None:
    """Send input responses to a task."""
    assert client.result("tasks/update", taskId=task_id, inputResponses=answers) == {"resultType": "complete"}


def result_text(client: Client, task_id: str) -> str:
    """Return the text of a task's result."""
    return str(client.tasks_get(task_id)["result"]["content"][0]["text"])
