"""Input requests and their responses, by key."""

from collections.abc import Mapping

from mcp_tasks.tasks.model import JSON
from tests.harness.tasks import DeployedTask


def open_requests(task: DeployedTask) -> Mapping[str, JSON]:
    """Return the params of the task's open input requests, by key."""
    return {request.id: request.params for request in task.client.input_requests(task.id)}


def respond(task: DeployedTask, **responses: JSON) -> None:
    """Respond by key: `approve={"action": "accept", "content": {}}`; raises `McpError`."""
    try:
        task.client.request("tasks/update", {"taskId": task.id, "inputResponses": responses})
    finally:
        task.harness.run_until_idle()
