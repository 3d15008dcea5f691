"""The account of live tests: that of the shell, which all other tests are kept from."""

import pytest

from tests.no_account import GIVEN, NO_ACCOUNT


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the credentials, region and endpoints that the shell has set."""
    for name in NO_ACCOUNT:
        if name in GIVEN:
            monkeypatch.setenv(name, GIVEN[name])
        else:
            monkeypatch.delenv(name, raising=False)
