"""Suspends a task for its state machine: publishes its input requests, and keeps the task token that resumes it.

Input: `{"scope", "task", "token"}`; `scope` is the owner key.  Nothing of the task runs from here on until its client
has answered, or the state times out, as it does when a sleep is over.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.adapters.aws_failures import raising_unavailable
from mcp_tasks.settings import Settings

logger = Logger(service="suspend_task")
SUSPENSION = bootstrap.suspension(Settings.of(os.environ))


@raising_unavailable()
def handler(event: Mapping[str, Any], context: object) -> None:
    """Suspend one task, or resume it at once where it has been answered already."""
    logger.info("suspend", extra={"task": event["task"]})
    SUSPENSION.suspend(event["scope"], event["task"], event["token"])
