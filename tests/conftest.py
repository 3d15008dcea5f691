"""The environment of every test: no account, no network, one region, no hurry, and every tool there."""

import os
from zlib import crc32

import pytest
from hypothesis import settings

from tests.prerequisites import missing

pytest_plugins = ["mcp_tasks.testing.plugin"]

os.environ |= {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    # Otherwise boto3 sends the calls of DynamoDB Streams to a host of the account's own, which moto does not know.
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
}

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
