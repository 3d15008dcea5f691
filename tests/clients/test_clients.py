"""The official clients complete a task in their revision, or a call that lasts, against the deployed stack."""

import pytest

from tests.clients.expected import JOB, MODES, TASKS, WITHOUT_TASKS, in_each_revision
from tests.clients.programs import Endpoint, Inspector, node, python

pytestmark = [pytest.mark.clients, pytest.mark.usefixtures("no_errors_logged")]

# The revisions name differently what ended with an error of the tool's own.
FAILED = {"2025-11-25": "failed", "2026-07-28": "completed"}

# A tool that is always a task is rejected without the field `task`, or without the extension.
REJECTION = {"2025-11-25": -32601, "2026-07-28": -32021}


@in_each_revision
def test_the_python_client_2_completes_a_call_that_becomes_a_task(endpoint: Endpoint, revision: str) -> None:
    output = python("client_v2", "python_v2", endpoint, MODES[revision])

    assert output == WITHOUT_TASKS | {"revision": revision, "rejection": REJECTION[revision]}


@in_each_revision
def test_the_typescript_client_2_completes_a_call_that_becomes_a_task(endpoint: Endpoint, revision: str) -> None:
    output = node("typescript_v2", endpoint, MODES[revision])

    assert output == WITHOUT_TASKS | {"revision": revision, "rejection": REJECTION[revision]}


@in_each_revision
def test_the_tasks_package_of_typescript_completes_a_task(endpoint: Endpoint, revision: str) -> None:
    output = node("ext_tasks", endpoint, MODES[revision])

    assert output == TASKS | {"revision": revision, "failed": FAILED[revision]}


@in_each_revision
def test_the_inspectors_command_completes_a_task(inspector: Inspector, revision: str) -> None:
    result = inspector.once(MODES[revision], "external_job", job_id="seven")

    assert result["content"] == JOB
