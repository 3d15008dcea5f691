"""A question that was sent with a key that is revoked: its answer is refused, and the question is sent again."""

from mcp_tasks.adapters.dynamodb.key_rotation import rotate
from mcp_tasks.limits.waits import KEYS_FRESH
from mcp_tasks.testing.rev_2025_11_25 import Client
from tests.harness.tasks import DeployedTasks
from tests.harness.test_retired_keys import AT_ONCE, ended, table_of

SAID = {"action": "accept", "content": {"said": "in time"}}


def test_the_answer_to_a_question_of_before_is_refused_and_to_the_same_question_again_taken(
    tasks: DeployedTasks,
) -> None:
    task, client = tasks.start("curious", batches=[["a"]]), tasks.client()
    assert isinstance(client, Client)
    waiting = client.send_request("tasks/result", {"taskId": task.id})
    (before,) = waiting.input_requests
    rotate(table_of(tasks), accepted_for=AT_ONCE)
    tasks.advance(seconds=KEYS_FRESH.total_seconds())

    refused = client.respond(before, SAID)
    assert (refused.status, refused.error["message"]) == (400, "This server sent no request with this id.")
    assert client.resume(waiting.last_event_id).status == 405

    (again,) = client.send_request("tasks/result", {"taskId": task.id}).input_requests
    assert again["params"] == before["params"]
    assert client.respond(again, SAID).status == 202
    tasks.advance(seconds=1)
    assert ended(tasks, task) == "noted, in time"
