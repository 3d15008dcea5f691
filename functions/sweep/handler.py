"""Every few minutes: repair what every other path missed."""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.limits.aws import MAX_SWEPT
from mcp_tasks.settings import Settings

logger = Logger(service="sweep")
REPAIR = bootstrap.repair(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Sweep once."""
    logger.info("swept", extra={"repaired": REPAIR.sweep(limit=MAX_SWEPT)})
