"""Anchors, every minute, the audit records that the functions have logged."""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="anchor_audit")
ANCHORING = bootstrap.anchoring(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Anchor what was logged until now."""
    logger.info("anchored", extra={"records": ANCHORING.run()})
