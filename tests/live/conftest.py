"""The account of live tests: that of the shell, which all others are kept from; and the stage they look at."""

import os

import pytest

from tests.live.deployed import Stage, needs
from tests.no_account import GIVEN, NO_ACCOUNT


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the credentials, region and endpoints that the shell has set."""
    for name in NO_ACCOUNT:
        if name in GIVEN:
            monkeypatch.setenv(name, GIVEN[name])
        else:
            monkeypatch.delenv(name, raising=False)
    # Others of the account use up its quotas, too.
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "10")


@pytest.fixture
def any_stage(account: None) -> Stage:
    """The stage of any app."""
    for name in ("STACK", "TOKEN"):
        if name not in os.environ:
            pytest.fail(f"{name} is not set: make live STAGE=dev, with a token in TOKEN", pytrace=False)
    return Stage.of_environment()


@pytest.fixture
def stage(any_stage: Stage) -> Stage:
    """The stage that has the tools of these tests."""
    needs(
        "ItemsTable" in any_stage.outputs,
        f"{any_stage.stack} has other tools than these tests: deploy tests/live/stage/app.py",
    )
    return any_stage
