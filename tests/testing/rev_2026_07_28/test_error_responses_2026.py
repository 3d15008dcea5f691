"""This revision has no error responses to input requests: the kit says so where a test sends one."""

from typing import NoReturn

import pytest

from mcp_tasks import McpError
from mcp_tasks.testing.client import InputRequest, NotSupported
from mcp_tasks.testing.harness import Harness

REVISION = "2026-07-28"


def test_an_input_request_cannot_be_answered_with_an_error(harness: Harness) -> None:
    task = harness.client(REVISION).start_task("ask")
    (request,) = task.input_requests

    with pytest.raises(NotSupported, match="2026-07-28"):
        request.fail(-1, "sampling is forbidden")
    assert task.status == "input_required"


@pytest.mark.parametrize("tasks", [True, False], ids=["with tasks", "without"])
def test_a_responder_cannot_answer_with_an_error(harness: Harness, tasks: bool) -> None:
    def forbid(request: InputRequest) -> NoReturn:
        raise McpError(-1, "sampling is forbidden")

    with pytest.raises(NotSupported, match="2026-07-28"):
        harness.client(REVISION, tasks=tasks, responder=forbid).call_tool("ask")
