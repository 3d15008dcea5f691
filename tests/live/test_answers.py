"""An answer resumes its execution, on AWS: needs a stage's URL, a token, and a tool that asks its user one thing.

    export MCP_URL=... MCP_TOKEN=... MCP_TOOL=publish_report
    export MCP_ARGUMENTS='{"csv": "a,b\\n1,2"}' MCP_ANSWER='{"approved": false}'
    python -m pytest -m live tests/live/test_answers.py

Were `SendTaskSuccess` refused, which IAM grants by the ARN of the state machine, the task would work until its time is
over, and none of these would end.
"""

import json
import os
from importlib import import_module

import pytest

from local.http_client import HttpClient
from mcp_tasks.testing.client import FINAL, RESPONDS, Client
from mcp_tasks.wire.revisions import PACKAGES
from tests.timeout import until


@pytest.mark.live
@pytest.mark.parametrize("revision", PACKAGES)
def test_a_task_goes_on_once_it_is_answered(revision: str) -> None:
    module = import_module(f"mcp_tasks.testing.{revision}")
    http = HttpClient(os.environ["MCP_URL"], os.environ["MCP_TOKEN"])
    client: Client = module.Client(http.send, {**RESPONDS, **module.TASKS})
    task = client.start_task(os.environ["MCP_TOOL"], json.loads(os.environ["MCP_ARGUMENTS"]))

    (request,) = until(lambda: task.input_requests, within=60)
    request.accept(**json.loads(os.environ["MCP_ANSWER"]))

    until(lambda: task.status in FINAL, within=60)
    assert task.status == "completed"
