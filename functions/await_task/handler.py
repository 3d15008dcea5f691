"""GET /mcp: streams that were resumed, each held until there is news.

The same endpoint as `serve_mcp`, as a function of its own, so that a stage can reserve concurrency for those who wait.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp_tasks import bootstrap
from mcp_tasks.settings import Settings
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.server import handle

SERVER = bootstrap.server(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer one GET, before the gateway hangs up on it."""
    server = apigateway.in_time(SERVER, event, now=bootstrap.clock.now())
    return apigateway.response(handle(server, apigateway.request(event), apigateway.caller(event)))
