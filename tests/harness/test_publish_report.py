"""A report is requested without a task, by clients with few capabilities or none."""

from pathlib import Path

import pytest

from tests.harness.tasks import DeployedTasks

PENGUINS = (Path(__file__).parents[2] / "layers" / "examples" / "penguins.csv").read_text()


@pytest.fixture
def tools_module() -> str:
    return "examples"


def test_a_client_that_cannot_be_asked_gets_the_summary(tasks: DeployedTasks) -> None:
    ada = tasks.connect(capabilities={}, tasks=False)

    answer = ada.call_tool("publish_report", {"csv": PENGUINS})

    assert answer.text.startswith("344 rows, 8 columns.\n")
    assert answer.text.endswith("your client cannot ask you whether it may be.")


def test_a_client_without_a_model_publishes_without_its_sentence(tasks: DeployedTasks) -> None:
    ada = tasks.connect(
        capabilities={"elicitation": {}},
        tasks=False,
        responder=lambda request: {"action": "accept", "content": {"approved": True}},
    )

    answer = ada.call_tool("publish_report", {"csv": PENGUINS})

    assert answer.text.startswith("# What the table says\n\n344 rows")
