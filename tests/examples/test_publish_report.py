"""A report is published once its user has approved it, under their title, with what their client's model says of it."""

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.testing.client import Client, InputRequest, Task
from mcp_tasks.testing.harness import CALLER, Harness

PENGUINS = (Path(__file__).parents[2] / "layers" / "examples" / "penguins.csv").read_text()
SENTENCE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Penguins, measured."}}
NOT_APPROVED = "This is not published: nobody approved it."


@pytest.fixture
def task(client: Client, bucket: str) -> Task:
    return client.start_task("publish_report", {"csv": PENGUINS})


def only_request(task: Task) -> InputRequest:
    (request,) = task.input_requests
    return request


def published(task: Task, s3: Any, bucket: str) -> str:
    """Return what lies where the result says that the report is."""
    name = task.wait().text.rpartition("Published as dataset://")[2]
    assert name.startswith("report-")
    return str(s3.get_object(Bucket=bucket, Key=f"{CALLER.tenant}/{name}")["Body"].read(), "utf-8")


def test_it_asks_whether_and_under_which_title(task: Task) -> None:
    request = only_request(task)

    assert task.status == "input_required"
    assert request.message.startswith("Publish this report?\n\n344 rows, 8 columns.\n- ")
    assert request.params["requestedSchema"]["required"] == ["approved"]
    assert request.params["requestedSchema"]["properties"]["title"]["default"] == "What the table says"


def test_what_is_approved_is_published_with_a_sentence_of_the_clients_model(task: Task, s3: Any, bucket: str) -> None:
    only_request(task).accept(approved=True, title="Penguins")
    sample = only_request(task)
    assert sample.method == "sampling/createMessage"
    sample.respond(SENTENCE)

    assert published(task, s3, bucket).startswith("# Penguins\n\nPenguins, measured.\n\n344 rows, 8 columns.\n")


def test_a_title_is_there_already(task: Task, s3: Any, bucket: str) -> None:
    only_request(task).accept(approved=True)
    only_request(task).respond(SENTENCE)

    assert published(task, s3, bucket).startswith("# What the table says\n")


@pytest.mark.parametrize(
    "response",
    [{"action": "accept", "content": {"approved": False}}, {"action": "decline"}, {"action": "cancel"}],
    ids=["no", "declined", "left"],
)
def test_what_is_not_approved_is_not_published(task: Task, s3: Any, bucket: str, response: Any) -> None:
    only_request(task).respond(response)

    assert task.status == "completed"
    assert task.result.text.endswith(NOT_APPROVED)
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_nobody_who_responds_in_three_days_is_a_no(task: Task, harness: Harness) -> None:
    harness.advance(days=2, hours=23)
    assert task.status == "input_required"

    harness.advance(hours=2)
    assert task.result.text.endswith(NOT_APPROVED)


def test_a_model_that_says_nothing_in_ten_minutes_is_done_without(
    task: Task, harness: Harness, s3: Any, bucket: str
) -> None:
    only_request(task).accept(approved=True, title="Penguins")
    harness.advance(minutes=11)

    assert published(task, s3, bucket).startswith("# Penguins\n\n344 rows")


@pytest.mark.parametrize("step", ["summary", "name"])
def test_a_crash_neither_publishes_twice_nor_sums_up_again(
    client: Client, harness: Harness, s3: Any, bucket: str, step: str
) -> None:
    harness.crash_after(step)
    task = client.start_task("publish_report", {"csv": PENGUINS})
    only_request(task).accept(approved=True, title="Penguins")
    only_request(task).respond(SENTENCE)

    assert published(task, s3, bucket).startswith("# Penguins\n")
    assert harness.steps(task.id) == ["summary", "name"]
    assert len(s3.list_objects_v2(Bucket=bucket)["Contents"]) == 1


def test_a_client_that_cannot_be_asked_gets_the_summary(harness: Harness, revision: str, bucket: str) -> None:
    client = harness.client(revision, capabilities={}, tasks=False)

    result = client.call_tool("publish_report", {"csv": PENGUINS})

    assert result.text.startswith("344 rows, 8 columns.\n")
    assert result.text.endswith("your client cannot ask you whether it may be.")


def test_a_client_without_a_model_publishes_without_its_sentence(harness: Harness, revision: str, bucket: str) -> None:
    approve = {"action": "accept", "content": {"approved": True}}
    client = harness.client(revision, capabilities={"elicitation": {}}, tasks=False, responder=lambda request: approve)

    result = client.call_tool("publish_report", {"csv": PENGUINS})

    assert result.text.startswith("# What the table says\n\n344 rows")


def test_without_a_bucket_the_report_is_the_answer(client: Client) -> None:
    task = client.start_task("publish_report", {"csv": PENGUINS})

    only_request(task).accept(approved=True, title="Penguins")
    only_request(task).respond(SENTENCE)

    assert task.result.text.startswith("# Penguins\n")
    assert "Published" not in task.result.text
