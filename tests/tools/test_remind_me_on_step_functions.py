"""The state machine of `remind_me`, as it would be deployed: on moto's Step Functions, in virtual time."""

import pytest

from tests.harness.fixtures import deployment as deployment
from tests.harness.fixtures import tasks as tasks
from tests.harness.tasks import DeployedTasks


@pytest.fixture
def machines_module() -> str:
    return "infra.machines"


def test_the_reminder_comes_after_an_hour(tasks: DeployedTasks) -> None:
    task = tasks.start("remind_me", after_seconds=3600, about="tea")

    tasks.advance(minutes=59)
    assert task.status == "working"

    tasks.advance(minutes=2)
    assert task.result.text == "Reminder after 3600 s: tea"
