"""The server on the harness, and the metrics and alarms of a stage for AWS, which observe it."""

from collections.abc import Iterator

import pytest

from mcp_tasks.testing.state_machines.template import Template
from tests.alarms.cloudwatch import CloudWatch
from tests.alarms.observed import Observed, observing
from tests.harness.fixtures import deployment as deployment
from tests.harness.fixtures import machines_module as machines_module
from tests.harness.fixtures import tasks as tasks
from tests.harness.harness import Harness
from tests.infra.assembly import UNBUNDLED, Assembly, synthesise_once


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage of the examples for AWS, which has alarms: that on this machine has none."""
    return synthesise_once(tmp_path_factory, "cloud", UNBUNDLED, validation=True)


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.sample_tools"


@pytest.fixture
def cloudwatch(cloud: Assembly) -> CloudWatch:
    return CloudWatch(template=Template.of_assembly(cloud.folder))


@pytest.fixture
def observed(deployment: Harness, cloudwatch: CloudWatch) -> Iterator[Observed]:
    with observing(deployment, cloudwatch) as observed:
        yield observed
