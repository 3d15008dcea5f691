"""Each release in turn, on the harness of this checkout."""

import pytest

from mcp_tasks.testing.state_machines.template import Template
from tests.harness.synthesis import template as synthesised
from tests.releases.items import RELEASE
from tests.releases.record import MACHINES
from tests.releases.replay import RELEASES


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.slow if each == RELEASE else ()) for each in RELEASES])
def release(request: pytest.FixtureRequest) -> str:
    """A release whose tasks are in flight."""
    found: str = request.param
    return found


@pytest.fixture
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """What this checkout deploys."""
    return synthesised(tmp_path_factory, MACHINES)
