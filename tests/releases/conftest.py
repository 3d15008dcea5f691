"""Each release in turn, on the harness of this checkout."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.testing.harness import REVISIONS, package
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.synthesis import template as synthesised
from tests.releases.items import RELEASE
from tests.releases.record import MACHINES
from tests.releases.replay import RELEASES, with_bytes
from tests.releases.replay_messages import FILES


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.slow if each == RELEASE else ()) for each in RELEASES])
def release(request: pytest.FixtureRequest) -> str:
    """A release whose tasks are in flight."""
    found: str = request.param
    return found


@pytest.fixture
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """What this checkout deploys."""
    return synthesised(tmp_path_factory, MACHINES)


@pytest.fixture(params=FILES, ids=lambda file: f"{file.parts[-3]}-{file.parts[-2]}")
def recorded(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """What functions of a release sent each other for clients of a revision, whose name is in `revision`."""
    file: Path = request.param
    (revision,) = (each for each in REVISIONS if package(each) == file.parent.name)
    return {"revision": revision, **json.loads(file.read_text(), object_hook=with_bytes)}
