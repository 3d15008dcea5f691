"""GET /mcp: SSE streams that a client opens or resumes, each held until there is an event to send.

It is the server of `serve_mcp` as a function of its own, so that a stage can reserve concurrency for waiting clients.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp_tasks import aws, bootstrap
from mcp_tasks.settings import Settings
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.call_log import handle_and_log

SERVER = bootstrap.server(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer one GET, before API Gateway's integration timeout."""
    server = apigateway.with_time_limits(SERVER, event, now=aws.clock.now())
    return apigateway.response(handle_and_log(server, apigateway.request(event), apigateway.caller(event)))
