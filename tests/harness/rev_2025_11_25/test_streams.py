"""Input requests are sent on the stream on which the client waits."""

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.rev_2025_11_25 import Client
from tests.harness.tasks import DeployedTasks


def says(words: str) -> JSON:
    return {"action": "accept", "content": {"said": words}}


def test_a_client_that_can_be_asked_is_asked_on_its_stream(tasks: DeployedTasks) -> None:
    client = tasks.client()
    assert isinstance(client, Client)
    client.responder = lambda request: says(f"yes to {request.message}")
    task = tasks.start("curious", batches=[["a", "b"], ["c"]])

    answer = client.request("tasks/result", {"taskId": task.id})
    assert answer["content"][0]["text"] == "noted, yes to a?, yes to b?, yes to c?"
    messages = [message["params"]["message"] for message in client.received if "id" in message]
    assert messages == ["a?", "b?", "c?"]
