"""The stage, for the tests of the stage itself and of the server on it."""

import pytest

from tests.stage.bench import Bench
from tests.stage.fixtures import tasks as tasks
from tests.stage.tasks import StagedTasks


@pytest.fixture
def tools_module() -> str:
    return "tests.stage.odd_tools"


@pytest.fixture
def bench(tasks: StagedTasks) -> Bench:
    bench = Bench(stage=tasks.stage)
    bench.stage.replace("record_outcome", bench.record)
    return bench
