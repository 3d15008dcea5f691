"""The environment of every test: no account, no network, one region, no hurry, and every tool there."""

import os

import pytest
from hypothesis import settings

from mcp_tasks import fallbacks
from mcp_tasks.ports.keys import use_audit_keys
from tests.no_account import NO_ACCOUNT
from tests.prerequisites import missing
from tests.sampling import OF_COPIES, turn_of

pytest_plugins = ["mcp_tasks.testing.plugin"]

os.environ |= NO_ACCOUNT

# How long an example takes says more of the machine than of the code.
settings.register_profile("without_deadlines", deadline=None)
settings.load_profile("without_deadlines")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="run one of N samples, which are all tests")
    parser.addoption("--turn", type=int, default=0, metavar="T", help="run sample T modulo N")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests whose turn it is."""
    turns, turn = config.getoption("one_in"), config.getoption("turn")
    rest = [item for item in items if turn_of(item.nodeid, turns) != turn % turns]
    if rest:
        config.hook.pytest_deselected(items=rest)
        items[:] = [item for item in items if item not in set(rest)]


@pytest.fixture
def share(request: pytest.FixtureRequest) -> tuple[int, int]:
    """The sample of its tests that a copy of the checkout runs, as (N, T): another one each time that its turn comes.

    A copy repeats what passes in the checkout; what fails in it alone is a file that it lacks, which many tests need.
    """
    turns, turn = (request.config.getoption(name) for name in ("one_in", "turn"))
    return OF_COPIES, turn // turns


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if (sentence := missing(item.nodeid)) is not None:
        pytest.fail(sentence, pytrace=False)


@pytest.fixture(autouse=True)
def nothing_reported() -> None:
    """Have each test see what is logged once by a process."""
    fallbacks.forget_reported()


@pytest.fixture(autouse=True)
def no_audit_keys() -> None:
    """Have no test look for the key of audit records in a table of the test before."""
    use_audit_keys(None)
