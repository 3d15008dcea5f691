"""Reports the progress of one task, for a state of its state machine.

Input: `{"scope", "task"}`, and any of `"message"`, `"progress"` and `"total"`; `scope` is the owner key.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="report_progress")
REPORTS = bootstrap.progress_reports(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Report the progress of one task, or one unit more than before."""
    logger.info("report", extra={"task": event["task"]})
    given = {name: event[name] for name in ("message", "progress", "total") if name in event}
    REPORTS.report(event["scope"], event["task"], **given)
