"""Reconciles, every five minutes, live tasks that neither a request nor the table's stream has taken care of."""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.limits.aws import MAX_SWEPT
from mcp_tasks.settings import Settings

logger = Logger(service="sweep")
RECONCILER = bootstrap.reconciler(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Check the tasks that are due, `MAX_SWEPT` at most."""
    logger.info("swept", extra={"reconciled": RECONCILER.sweep(limit=MAX_SWEPT)})
