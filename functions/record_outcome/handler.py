"""The end of an execution -> the task's outcome, if the work did not record one itself.

In, from the wrap of a machine: `{"scope", "task", "output"}` or `{"scope", "task", "error", "cause"}`.
In, from EventBridge: a Step Functions execution status change, which also tells of what no wrap can catch.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="record_outcome")
EXECUTION_OUTCOMES = bootstrap.execution_outcomes(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Record one ending."""
    if "detail" in event:
        detail = event["detail"]
        if not detail.get("input"):
            # Step Functions leaves out what is too large for an event: the sweep will look at the execution.
            said = {"execution": detail["executionArn"], "fallback": "left_to_sweep"}
            logger.warning("an execution ended whose input is unknown", extra=said)
            return
        named = json.loads(detail["input"])
        logger.info("execution ended", extra={"task": named["task"], "status": detail["status"]})
        EXECUTION_OUTCOMES.closed(named["scope"], named["task"], detail["status"])
    elif "error" in event:
        logger.warning("work failed", extra={key: event.get(key) for key in ("task", "error", "cause")})
        EXECUTION_OUTCOMES.failed(event["scope"], event["task"], event["error"])
    else:
        logger.info("work returned", extra={"task": event["task"]})
        EXECUTION_OUTCOMES.returned(event["scope"], event["task"], event["output"])
