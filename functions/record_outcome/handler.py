"""Records how an execution ended as its task's outcome, unless the task has one.

Input from a state machine's last states: `{"scope", "task", "output"}` or `{"scope", "task", "error", "cause"}`;
`scope` is the owner key.  Input from EventBridge: a Step Functions execution status change, which also reports what no
Catch can: an execution that was aborted, or timed out as a whole.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.adapters.aws_failures import raising_unavailable
from mcp_tasks.settings import Settings

logger = Logger(service="record_outcome")
EXECUTION_OUTCOMES = bootstrap.execution_outcomes(Settings.of(os.environ))


@raising_unavailable()
def handler(event: Mapping[str, Any], context: object) -> None:
    """Record the outcome of one execution."""
    if "detail" in event:
        detail = event["detail"]
        if not detail.get("input"):
            # Step Functions omits an input that is too large for an event: the sweep will describe the execution.
            fields = {"execution": detail["executionArn"], "fallback": "left_to_sweep"}
            logger.warning("an execution ended whose input is unknown", extra=fields)
            return
        given = json.loads(detail["input"])
        logger.info("execution ended", extra={"task": given["task"], "status": detail["status"]})
        EXECUTION_OUTCOMES.ended(given["scope"], given["task"], detail["status"])
    elif "error" in event:
        logger.warning("work failed", extra={key: event.get(key) for key in ("task", "error", "cause")})
        EXECUTION_OUTCOMES.failed(event["scope"], event["task"], event["error"])
    else:
        logger.info("work returned", extra={"task": event["task"]})
        EXECUTION_OUTCOMES.returned(event["scope"], event["task"], event["output"])
