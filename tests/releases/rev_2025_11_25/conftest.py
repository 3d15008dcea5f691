"""What clients of revision 2025-11-25 hold."""

from collections.abc import Iterator
from typing import Any

import pytest

from mcp_tasks.testing.rev_2025_11_25 import REVISION
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.tasks import DeployedTasks
from tests.releases.replay import continued


@pytest.fixture
def flight(template: Template, release: str) -> Iterator[tuple[DeployedTasks, dict[str, Any]]]:
    """The server with the tasks in flight, and what their client holds."""
    with continued(template, release, REVISION) as (harness, carried):
        yield DeployedTasks(harness=harness, revision=REVISION), carried
        assert not harness.deliveries.lost
