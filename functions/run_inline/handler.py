"""Runs the code of a call that is no task, of a prompt, a resource or a completion, for the endpoint.

Input and output: the messages of `mcp_tasks/run_inline`.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import tool_bootstrap
from mcp_tasks.settings import ToolSettings

logger = Logger(service="run_inline")
INLINE = tool_bootstrap.inline_server(ToolSettings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> Mapping[str, Any]:
    """Answer one message of the endpoint."""
    tool_bootstrap.forget_earlier_runs()
    logger.info("run")
    return INLINE.answer(event)
