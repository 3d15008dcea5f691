"""The server that is attacked, deployed once for all tests of a module, and in each revision of the protocol."""

from collections.abc import Iterator

import pytest

from mcp_tasks.testing.harness import REVISIONS
from tests.attacks.server import AttackedServer, attacked
from tests.harness.synthesis import template


@pytest.fixture(scope="module", params=REVISIONS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedServer]:
    made = template(tmp_path_factory, "layers.examples.machines")
    with attacked(made, tmp_path_factory.mktemp("attacked"), request.param) as server:
        yield server
