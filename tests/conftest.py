"""The environment of every test: no account, no network, one region, no hurry, and every tool there."""

import os
from zlib import crc32

import pytest
from hypothesis import settings

from mcp_tasks import fallbacks
from tests.no_account import NO_ACCOUNT
from tests.prerequisites import missing

pytest_plugins = ["mcp_tasks.testing.plugin"]

os.environ |= NO_ACCOUNT

# How long an example takes says more of the machine than of the code.
settings.register_profile("without_deadlines", deadline=None)
settings.load_profile("without_deadlines")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="run a fixed sample: about one test in N")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample that was asked for: a test is in it by its own name, whatever tests there are beside it."""
    rest = [item for item in items if crc32(item.nodeid.encode()) % config.getoption("one_in")]
    if rest:
        config.hook.pytest_deselected(items=rest)
        items[:] = [item for item in items if item not in set(rest)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if (sentence := missing(item.nodeid)) is not None:
        pytest.fail(sentence, pytrace=False)


@pytest.fixture(autouse=True)
def nothing_reported() -> None:
    """Have each test see what is logged once by a process."""
    fallbacks.forget_reported()
