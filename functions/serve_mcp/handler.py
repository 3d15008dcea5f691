"""POST and DELETE /mcp: every JSON-RPC message, since API Gateway cannot route by a method in the body.

OPTIONS as well, which has no authorizer: a browser's CORS preflight carries no token.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp_tasks import aws, bootstrap
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.settings import Settings
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.call_log import handle_and_log

SERVER = bootstrap.server(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer one HTTP request, before API Gateway's integration timeout."""
    server = apigateway.with_time_limits(SERVER, event, now=aws.clock.now())
    caller = ANONYMOUS if event["httpMethod"] == "OPTIONS" else apigateway.caller(event)
    return apigateway.response(handle_and_log(server, apigateway.request(event), caller))
