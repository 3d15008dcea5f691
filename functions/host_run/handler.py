"""Does for the runs of tools what they may not do themselves, each for the task that its ticket names.

Input and output: the messages of `mcp_tasks/run_host/messages.py`.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from mcp_tasks import bootstrap
from mcp_tasks.adapters.aws_failures import raising_unavailable
from mcp_tasks.settings import Settings

logger = Logger(service="host_run")
HOST = bootstrap.host_server(Settings.of(os.environ))


@raising_unavailable()
def handler(event: Mapping[str, Any], context: object) -> Mapping[str, Any]:
    """Answer one message of a run."""
    return HOST.answer(event)
