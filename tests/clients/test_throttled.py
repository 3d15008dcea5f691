"""The official clients while AWS throttles the table: none tells its user that a completed task failed."""

from collections.abc import Iterator

import pytest

from tests.clients.expected import MODES, in_each_revision
from tests.clients.programs import Endpoint, node, python
from tests.clients.throttled.server import ThrottledServer, throttled_server

pytestmark = pytest.mark.clients

POLLS = 200
COMPLETED, RESULT = ["completed"] * POLLS, ["done"] * POLLS


@pytest.fixture
def server() -> Iterator[ThrottledServer]:
    """A server on a table that AWS throttles."""
    with throttled_server() as found:
        yield found


@pytest.fixture
def asked(server: ThrottledServer) -> Iterator[tuple[Endpoint, str, str]]:
    """The endpoint, a completed task, and how often to poll it; at the end, a check that AWS refused something."""
    task_id = server.completed_task()
    server.throttling.share = 0.4
    yield Endpoint(url=server.url, token="none"), task_id, str(POLLS)

    assert server.throttling.refused > POLLS / 2


def test_the_python_client_1_is_told_of_each_poll_that_the_task_completed(asked: tuple[Endpoint, str, str]) -> None:
    said = python("client", "throttled.python_v1", *asked)

    assert said == {"told": COMPLETED, "result": "done"}


def test_the_typescript_client_1_is_told_of_each_poll_that_the_task_completed(asked: tuple[Endpoint, str, str]) -> None:
    said = node("throttled/typescript_v1", *asked)

    assert said == {"told": COMPLETED, "result": "done"}


@in_each_revision
def test_the_python_client_2_gets_the_result_at_each_call(asked: tuple[Endpoint, str, str], revision: str) -> None:
    said = python("client_v2", "throttled.python_v2", *asked, MODES[revision])

    assert said == {"revision": revision, "told": RESULT}


@in_each_revision
def test_the_tasks_package_of_typescript_settles_each_task(asked: tuple[Endpoint, str, str], revision: str) -> None:
    said = node("throttled/ext_tasks", *asked, MODES[revision])

    assert said == {"revision": revision, "told": RESULT}


def test_langchains_adapter_gets_the_result_at_each_call(asked: tuple[Endpoint, str, str]) -> None:
    said = python("client_langchain", "throttled.langchain_adapter", *asked)

    assert said == {"told": RESULT}


@pytest.fixture
def during_an_outage(server: ThrottledServer) -> Iterator[tuple[Endpoint, str, str]]:
    """The same for 20 polls, while AWS refuses all calls for longer than requests have."""
    task_id = server.completed_task()
    server.limit(6)
    server.throttling.seconds = 9
    yield Endpoint(url=server.url, token="none"), task_id, "20"

    assert server.throttling.refused > 20


def test_the_python_client_1_waits_out_an_outage_on_streams(during_an_outage: tuple[Endpoint, str, str]) -> None:
    said = python("client", "throttled.python_v1", *during_an_outage)

    assert said == {"told": COMPLETED[:20], "result": "done"}


def test_the_typescript_client_1_waits_out_an_outage_on_streams(during_an_outage: tuple[Endpoint, str, str]) -> None:
    said = node("throttled/typescript_v1", *during_an_outage)

    assert said == {"told": COMPLETED[:20], "result": "done"}


def test_the_tasks_package_of_typescript_waits_out_an_outage_on_streams(
    during_an_outage: tuple[Endpoint, str, str],
) -> None:
    said = node("throttled/ext_tasks", *during_an_outage, "legacy")

    assert said == {"revision": "2025-11-25", "told": RESULT[:20]}


def test_the_tasks_package_of_typescript_is_told_by_503_that_the_server_has_no_capacity(
    during_an_outage: tuple[Endpoint, str, str],
) -> None:
    """2026-07-28 has no streams to resume; once the outage is over, the same client gets the outcome."""
    said = node("throttled/ext_tasks", *during_an_outage, "auto")

    assert said["revision"] == "2026-07-28"
    assert {"no capacity at present, and did nothing" in each for each in said["told"]} == {True}, said["told"]


def test_the_python_client_2_is_told_by_503_that_the_server_has_no_capacity(
    during_an_outage: tuple[Endpoint, str, str],
) -> None:
    said = python("client_v2", "throttled.python_v2", *during_an_outage, "auto")

    assert said["revision"] == "2026-07-28"
    assert {"no capacity at present, and did nothing" in each for each in said["told"]} == {True}, said["told"]
