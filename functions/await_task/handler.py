"""GET /mcp: streams that were resumed, each held until there is news.

The same door as `serve_mcp`, with a concurrency of its own: those who wait never keep those who call from calling.
"""

import os
from collections.abc import Mapping
from typing import Any

from mcp_tasks import bootstrap
from mcp_tasks.adapters import apigateway
from mcp_tasks.settings import Settings
from mcp_tasks.wire.server import handle

SERVER = bootstrap.server(Settings.of(os.environ))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer one GET."""
    return apigateway.response(handle(SERVER, apigateway.request(event), apigateway.caller(event)))
