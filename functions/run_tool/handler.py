"""Runs the tool of one task for its state machine, and records its outcome, its input requests or its sleep.

Input: `{"scope", "task", "attempt"}`, and `"state_input"` if its machine hands over any; `scope` is the owner key.
Output: `{"asked": false}`, or `{"asked": true, "seconds"}` if the task is suspended: for so long its client may take to
answer, or it sleeps.
"""

import math
import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="run_tool")
RUNNER = bootstrap.runner(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Run the tool once, by replaying what earlier runs recorded."""
    logger.info("run", extra={"task": event["task"], "attempt": event["attempt"]})
    handed_over = event.get("state_input")
    timeout = RUNNER.run(event["scope"], event["task"], attempt=event["attempt"], state_input=handed_over)
    if timeout is None:
        return {"asked": False}
    return {"asked": True, "seconds": max(1, math.ceil(timeout.total_seconds()))}
