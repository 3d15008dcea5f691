"""The harness, for the tests of the harness itself and of the server on it."""

import pytest

from tests.harness.fixtures import deployment as deployment
from tests.harness.fixtures import tasks as tasks
from tests.harness.harness import Harness
from tests.harness.machine_run import MachineRun


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.sample_tools"


@pytest.fixture
def machine_run(deployment: Harness) -> MachineRun:
    machine_run = MachineRun(harness=deployment)
    machine_run.harness.replace("record_outcome", machine_run.record)
    return machine_run
