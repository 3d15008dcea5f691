"""A report is published once its user has approved it, under their title, with what their client's model says of it."""

import os
from pathlib import Path

import pytest

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.rev_2026_07_28.responding import open_requests, respond
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.kit import ADA

PENGUINS = (Path(__file__).parents[3] / "layers" / "examples" / "penguins.csv").read_text()
SENTENCE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Penguins, measured."}}


def accepted(**content: JSON) -> dict[str, JSON]:
    return {"action": "accept", "content": content}


def published(task: DeployedTask) -> str:
    """Return what lies where the result says that the report is."""
    bucket, name = os.environ["DATA_BUCKET"], task.result.text.rpartition("Published as dataset://")[2]
    assert name.startswith("report-")
    assert bucket not in task.result.text
    key = f"{ADA.tenant}/{name}"
    return str(client("s3").get_object(Bucket=bucket, Key=key)["Body"].read(), "utf-8")


@pytest.fixture
def tools_module() -> str:
    return "examples"


@pytest.fixture
def task(tasks: DeployedTasks) -> DeployedTask:
    return tasks.start("publish_report", csv=PENGUINS)


def test_it_asks_whether_and_under_which_title(task: DeployedTask) -> None:
    (params,) = open_requests(task).values()

    assert task.status == "input_required"
    assert params["message"].startswith("Publish this report?\n\n344 rows, 8 columns.\n- ")
    assert params["requestedSchema"]["required"] == ["approved"]
    assert params["requestedSchema"]["properties"]["title"]["default"] == "What the table says"


def test_what_is_approved_is_published_with_a_sentence_of_the_clients_model(task: DeployedTask) -> None:
    respond(task, approval=accepted(approved=True, title="Penguins"))
    assert list(open_requests(task)) == ["abstract"]
    respond(task, abstract=SENTENCE)

    assert published(task).startswith("# Penguins\n\nPenguins, measured.\n\n344 rows, 8 columns.\n")


def test_a_title_is_there_already(task: DeployedTask) -> None:
    respond(task, approval=accepted(approved=True))
    respond(task, abstract=SENTENCE)

    assert published(task).startswith("# What the table says\n")


@pytest.mark.parametrize(
    "answer", [accepted(approved=False), {"action": "decline"}, {"action": "cancel"}], ids=["no", "declined", "left"]
)
def test_what_is_not_approved_is_not_published(task: DeployedTask, answer: JSON) -> None:
    respond(task, approval=answer)

    assert task.status == "completed"
    assert task.result.text.endswith("This is not published: nobody approved it.")
    assert "Contents" not in client("s3").list_objects_v2(Bucket=os.environ["DATA_BUCKET"])


def test_nobody_who_answers_in_three_days_is_a_no(tasks: DeployedTasks, task: DeployedTask) -> None:
    tasks.advance(days=2, hours=23)
    assert task.status == "input_required"

    tasks.advance(hours=2)
    assert task.result.text.endswith("This is not published: nobody approved it.")


def test_a_model_that_says_nothing_in_ten_minutes_is_done_without(tasks: DeployedTasks, task: DeployedTask) -> None:
    respond(task, approval=accepted(approved=True, title="Penguins"))
    tasks.advance(minutes=11)

    assert published(task).startswith("# Penguins\n\n344 rows")


def test_without_a_bucket_the_report_is_the_answer(tasks: DeployedTasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATA_BUCKET")
    task = tasks.start("publish_report", csv=PENGUINS)

    respond(task, approval=accepted(approved=True, title="Penguins"))
    respond(task, abstract=SENTENCE)

    assert task.result.text.startswith("# Penguins\n")
    assert "Published" not in task.result.text
