"""The clients of 2026-07-28 complete a task."""

import pytest

from tests.clients.expected import JOB, TASKS
from tests.clients.programs import Endpoint, Inspector, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]


def test_fastmcp_completes_a_task(endpoint: Endpoint) -> None:
    output = python("client_v2", "rev_2026_07_28.fastmcp_v4", endpoint)

    assert output == TASKS | {"revision": "2026-07-28"}


def test_the_inspectors_connection_completes_a_task_of_2026_07_28(inspector: Inspector) -> None:
    connected = inspector.connect("modern")
    result = inspector.do("tools/call", "external_job", "job_id:=seven")

    assert connected["protocolEra"] == "modern"
    assert result["content"] == JOB
