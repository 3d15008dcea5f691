"""Step Functions -> suspending: publish what a task asks, with the token that lets its work go on.

In: `{"scope", "task", "token"}`.  Nothing of the task runs from here on until its client has answered.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="suspend_task")
SUSPENSION = bootstrap.suspension(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Suspend one task."""
    logger.info("suspend", extra={"task": event["task"]})
    SUSPENSION.suspend(event["scope"], event["task"], event["token"])
