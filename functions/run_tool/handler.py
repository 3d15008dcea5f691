"""Runs the tool of one task, for its state machine or by an event; its host records what comes of it.

Input: `{"ticket", "task", "attempt"}`, and `"state_input"` if its machine hands over any; the ticket is that of the
execution, or of the event.  Output: `{"asked": false}`, or `{"asked": true, "seconds"}` if the task is suspended: for
so long its client may take to answer, or it sleeps.  An input with `"suspension": "error"`, which definitions of
earlier releases do not send, gets the latter as the message of an error, `TaskSuspended`.  One with
`"broken": "error"`, which they do not send either, gets `RunBroken` where they expect `RunInterrupted`.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import tool_bootstrap
from mcp_tasks.settings import ToolSettings

logger = Logger(service="run_tool")
RUNNER = tool_bootstrap.runner(ToolSettings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> Mapping[str, Any]:
    """Run the tool once, by replaying what earlier runs recorded."""
    tool_bootstrap.forget_earlier_runs()
    logger.info("run", extra={"task": event["task"], "attempt": event["attempt"]})
    return RUNNER.answer(event)
