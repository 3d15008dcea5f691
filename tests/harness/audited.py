"""The audit records that the deployed functions write."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.tasks import DeployedTasks


@pytest.fixture
def audited(tasks: DeployedTasks, caplog: pytest.LogCaptureFixture) -> Iterator[list[dict[str, Any]]]:
    """Return the audit records that functions write from now on."""
    caplog.set_level(logging.INFO)
    written: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(dict(vars(record)))

    kept = Kept()
    logging.getLogger("audit").addHandler(kept)
    yield written
    logging.getLogger("audit").removeHandler(kept)


def events(audited: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [each for each in audited if each["event"].startswith(names)]
