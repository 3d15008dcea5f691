"""The server that is attacked, deployed once for all tests of a module, and in each revision of the protocol."""

from collections.abc import Iterator

import pytest

from mcp_tasks.testing.harness import REVISIONS
from tests.attacks.server import AttackedServer, attacked


@pytest.fixture(scope="module", params=REVISIONS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedServer]:
    folder = tmp_path_factory.mktemp("attacked")
    with attacked(tmp_path_factory, folder, request.param) as server:
        yield server
