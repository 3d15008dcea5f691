"""The harness, for the tests of the harness itself and of the server on it."""

from pathlib import Path
from zlib import crc32

import pytest

from mcp_tasks.testing.harness import REVISIONS
from tests.harness.fixtures import deployment as deployment
from tests.harness.fixtures import machines_module as machines_module
from tests.harness.fixtures import tasks as tasks
from tests.harness.harness import Harness
from tests.harness.machine_run import MachineRun

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave each test one revision that is quick, by its name: what is behind the endpoint is the same for all."""
    for item in items:
        if HERE in item.path.parents and isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            revision = item.callspec.params.get("revision")
            chosen = REVISIONS[crc32(item.originalname.encode()) % len(REVISIONS)]
            if revision not in (None, chosen):
                item.add_marker(pytest.mark.slow)


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.sample_tools"


@pytest.fixture
def machine_run(deployment: Harness) -> MachineRun:
    machine_run = MachineRun(harness=deployment)
    machine_run.harness.replace("record_outcome", machine_run.record)
    return machine_run
