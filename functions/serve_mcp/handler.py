"""POST and DELETE /mcp: every JSON-RPC message.  The gateway cannot see methods, so they all come here.

OPTIONS as well, before which no authorizer stands: browsers ask on behalf of pages, and send no token.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp_tasks import bootstrap
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.settings import Settings
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.server import handle

SERVER = bootstrap.server(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer one message, before the gateway hangs up on it."""
    server = apigateway.in_time(SERVER, event, now=bootstrap.clock.now())
    caller = ANONYMOUS if event["httpMethod"] == "OPTIONS" else apigateway.caller(event)
    return apigateway.response(handle(server, apigateway.request(event), caller))
