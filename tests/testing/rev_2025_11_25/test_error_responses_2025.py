"""A client of this revision may respond to an input request with an error."""

from typing import NoReturn

import pytest

from mcp_tasks import McpError
from mcp_tasks.testing.client import Client, InputRequest
from mcp_tasks.testing.harness import Harness

REVISION = "2025-11-25"


@pytest.fixture
def client(harness: Harness) -> Client:
    return harness.client(REVISION)


def test_the_tool_is_given_the_error(client: Client) -> None:
    task = client.start_task("ask")
    (request,) = task.input_requests

    request.fail(-1, "sampling is forbidden")

    assert "with an error: sampling is forbidden (code -1)" in task.wait().text


@pytest.mark.parametrize("tasks", [True, False], ids=["with tasks", "without"])
def test_a_responder_may_raise_the_error(harness: Harness, tasks: bool) -> None:
    def forbid(request: InputRequest) -> NoReturn:
        raise McpError(-1, "sampling is forbidden")

    client = harness.client(REVISION, tasks=tasks, responder=forbid)

    assert "with an error: sampling is forbidden (code -1)" in client.call_tool("ask").text
