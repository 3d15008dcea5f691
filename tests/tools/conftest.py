"""The stage, for tests that run a tool as its callers do."""

from tests.stage.fixtures import tasks as tasks
from tests.stage.fixtures import tools_module as tools_module
