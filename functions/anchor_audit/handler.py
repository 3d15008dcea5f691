"""Anchors the audit records that the functions have logged, each minute while any are.

Input: the first records of chains, as a subscription filter of CloudWatch Logs sends them, or nothing in particular.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings

logger = Logger(service="anchor_audit")
ROUNDS = bootstrap.rounds(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> None:
    """Have rounds run where a subscription filter says that a chain begins, and anchor otherwise."""
    if "awslogs" in event:
        ROUNDS.wake()
        return
    logger.info("anchored", extra={"records": ROUNDS.run()})
