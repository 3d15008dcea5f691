"""The stage of the examples, synthesised once, and all that could be asked for in it."""

import pytest

from tests.infra.assembly import UNBUNDLED, synthesise_once
from tests.isolation.cells import Target, targets
from tests.isolation.stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(synthesise_once(tmp_path_factory, "isolation", UNBUNDLED))


@pytest.fixture(scope="session")
def everything(stage: Stage) -> list[Target]:
    return targets(stage)
