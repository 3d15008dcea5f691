"""Step Functions -> the runner: run the tool of one task and record its outcome.

In: `{"scope", "task", "attempt"}`.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="run_tool")
RUNNER = bootstrap.runner(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Run one tool."""
    logger.info("run", extra={"task": event["task"], "attempt": event["attempt"]})
    RUNNER.run(event["scope"], event["task"], attempt=event["attempt"])
