"""Runs the tool of a task whose execution has no ticket, or one that was signed with a key that was retired since.

Executions that 0.3 or a release before it started have none; they invoke this function by the ARN that `run_tool` had.
Input: `{"scope", "task", "attempt"}`, and `"state_input"` if its machine hands over any; `scope` is the owner key.
Output, and errors: those of `run_tool`.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.adapters.aws_failures import raising_unavailable
from mcp_tasks.settings import Settings

logger = Logger(service="run_without_ticket")
FORWARD = bootstrap.forward(Settings.of(os.environ), os.environ["TOOLS_FUNCTION"])


@raising_unavailable()
def handler(event: Mapping[str, Any], context: object) -> Any:
    """Have `run_tool` run the tool once, with a ticket."""
    logger.info("run", extra={"task": event["task"], "attempt": event["attempt"]})
    return FORWARD.run(event)
